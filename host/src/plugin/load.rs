//! Maps a library and checks that it is a plugin of a fitting version. The only place in the host that does.

use super::Identity;
use abi_stable::library::AbiHeaderRef;
use driver_api::abi::{self, PluginModule_Ref, ROOT_MODULE_LOADER_NAME_WITH_NUL};
use std::path::{Path, PathBuf};

/// A library that is mapped and fits. It stays mapped until the process ends: what it handed out has no other lifetime.
pub struct Library {
    /// What the plugin says of itself.
    pub identity: Identity,
    pub(super) module: PluginModule_Ref,
    pub(super) file: PathBuf,
    pub(super) sha256: String,
}

impl Library {
    /// The hash of its file, in hex.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

/// Maps `copy`, a copy of `file`.
///
/// # Errors
/// One sentence that says why it is no usable plugin.
pub(super) fn open(copy: &Path, file: &Path, sha256: &str) -> Result<Library, String> {
    // SAFETY: mapping runs the library's initialisers. The operator placed it among the plugins, and the host has tried this
    // very file in a child process before.
    let library = unsafe { libloading::Library::new(copy) }.map_err(|error| {
        let mut cause: &dyn std::error::Error = &error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        // The system's loader repeats the file's name, which is the copy's.
        let text = cause.to_string().replace(&format!("{}: ", copy.display()), "");
        format!("it is no library for this system, or it is damaged: {text}")
    })?;
    // SAFETY: the symbol is the header that abi_stable defines, or it is absent; its content is checked below.
    let header = unsafe { library.get::<AbiHeaderRef>(ROOT_MODULE_LOADER_NAME_WITH_NUL.as_bytes()) }
        .map(|symbol| *symbol)
        .map_err(|_| "it is a library, but not a driver plugin".to_owned())?;
    let module = abi::accept(header)?;
    std::mem::forget(library);
    let identity = Identity {
        name: module.name()().into(),
        version: module.version()().into(),
        api_version: module.api_version()().into(),
    };
    Ok(Library { identity, module, file: file.to_owned(), sha256: sha256.to_owned() })
}
