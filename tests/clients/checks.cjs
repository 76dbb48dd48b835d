// Checks of a client script, counted as they run, and the line that ends it.

let passed = 0;
let failed = 0;

/** Runs one check and counts it. */
exports.check = async (name, run) => {
	try {
		await run();
		passed += 1;
		console.log("ok     ", name);
	} catch (error) {
		failed += 1;
		console.log("FAILED ", name, "\n", error);
	}
};

/** Whether any check failed so far. */
exports.failed = () => failed > 0;

/** Prints the counts and ends the program. */
exports.finish = () => {
	console.log(`${passed} passed, ${failed} failed`);
	process.exit(failed ? 1 : 0);
};
