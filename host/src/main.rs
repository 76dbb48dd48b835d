//! The `fingertip` command.

fn main() -> std::process::ExitCode {
    fingertip::cli::main()
}
