//! `fingertip plugin`: which plugin files there are, and whether this host takes them.

use crate::{
    app,
    config::Config,
    plugin::{Finder, Loader},
};
use clap::Subcommand;
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(super) enum Command {
    /// List the plugin files that are found, each with its version or why it is refused
    List,
    /// Check one file
    Check {
        /// A plugin's file
        file: PathBuf,
    },
    /// Print the configuration lines that pin a file: no other file is then loaded in its place
    Pin {
        /// A plugin's file
        file: PathBuf,
    },
    /// Try one file in this process (used by the host itself)
    #[command(hide = true)]
    Probe {
        /// A plugin's file
        file: PathBuf,
    },
}

pub(super) async fn run(config: Option<&Path>, command: Command) -> Result<(), String> {
    let config = Config::load(config).map_err(|error| error.to_string())?;
    // Only what a host uses is kept in the data folder.
    let cache = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let loader = Loader { cache: cache.path().to_owned(), prober: app::prober() };
    match command {
        Command::List => {
            let mut files = Finder::new(&config.plugin_dirs).scan();
            files.extend(config.plugins.iter().filter_map(|plugin| plugin.path.clone()));
            files.dedup();
            if files.is_empty() {
                println!("no plugin files found");
            }
            for file in files {
                match loader.load(&file, None).await {
                    Ok(library) => {
                        let identity = &library.identity;
                        println!(
                            "{} {} (driver API {})\n    {}",
                            identity.name,
                            identity.version,
                            identity.api_version,
                            file.display()
                        );
                    }
                    Err(error) => println!("refused: {error}"),
                }
            }
            Ok(())
        }
        Command::Check { file } => {
            let library = loader.load(&file, None).await.map_err(|error| error.to_string())?;
            let identity = &library.identity;
            println!("{} {} (driver API {}) can be used", identity.name, identity.version, identity.api_version);
            Ok(())
        }
        Command::Pin { file } => {
            let library = loader.load(&file, None).await.map_err(|error| error.to_string())?;
            println!("[[plugin]]\nname = {:?}\nsha256 = {:?}", library.identity.name, library.sha256());
            Ok(())
        }
        Command::Probe { file } => {
            crate::plugin::answer_probe(&file);
            Ok(())
        }
    }
}
