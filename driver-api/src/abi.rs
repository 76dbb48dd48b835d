//! Everything that crosses the library boundary: the objects, their methods, and the few frozen structs.
//!
//! This module and `export` are the only ones that name abi_stable. Rules of the boundary, held by the snapshot test:
//! methods are **append-only** and every method after the first release has a default body; structs are **frozen**;
//! whatever may grow (trees, device descriptions, options) crosses as JSON text. Nothing of the standard library, tokio or
//! tracing crosses: each plugin has its own copy of them.

// abi_stable's trait macro defines its impls inside a function body.
#![allow(non_local_definitions, non_camel_case_types, missing_docs)]

use crate::{DeviceEvent, Error, ErrorKind, Frame, Outcome, Picture, PictureFormat, Point, Result, Swipe};
use abi_stable::{
    StableAbi,
    abi_stability::abi_checking::{AbiInstability, AbiInstabilityErrors, check_layout_compatibility},
    library::{LibraryError, RootModule},
    package_version_strings, sabi_trait,
    sabi_types::VersionStrings,
    std_types::UTypeId,
    type_layout::{TLFieldOrFunction, TypeLayout},
};
pub use abi_stable::{
    library::{AbiHeaderRef, LibHeader, ROOT_MODULE_LOADER_NAME, ROOT_MODULE_LOADER_NAME_WITH_NUL, RootModuleResult},
    std_types::{RArc, RResult, RSlice, RString, RVec},
};
use async_ffi::FfiFuture;
use std::{collections::HashMap, time::Duration};

/// What every asynchronous method answers.
pub type AbiFuture<T> = FfiFuture<RResult<T, AbiError>>;
/// The host, as a plugin sees it.
pub type HostObject = HostAbi_TO<RArc<()>>;
/// A plugin, as the host sees it.
pub type PluginObject = PluginAbi_TO<RArc<()>>;
/// A driver, as the host sees it.
pub type DriverObject = DriverAbi_TO<RArc<()>>;

/// [`Error`]; kind and outcome cross by their names, since the set of kinds is open.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct AbiError {
    pub kind: RString,
    pub outcome: RString,
    pub message: RString,
}

/// [`Point`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct AbiPoint {
    pub x: f64,
    #[cfg(not(feature = "altered"))]
    pub y: f64,
    #[cfg(feature = "altered")]
    pub y: f32,
}

/// [`Swipe`]; times in milliseconds.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct AbiSwipe {
    pub from: AbiPoint,
    pub to: AbiPoint,
    pub hold_ms: u64,
    pub duration_ms: u64,
}

/// [`Picture`]; the bytes are handed over, not copied.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct AbiPicture {
    pub bytes: RVec<u8>,
    /// Media type: `image/png` or `image/jpeg`.
    pub media_type: RString,
    pub width: u32,
    pub height: u32,
}

/// [`Frame`].
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct AbiFrame {
    pub number: u64,
    pub picture: AbiPicture,
}

/// What a plugin may ask of the host.
#[sabi_trait]
pub trait HostAbi: Send + Sync + 'static {
    /// The most detailed level that the host wants: 0 nothing, 1 error … 5 trace.
    fn log_level(&self) -> u8;
    /// One line of the plugin's log.
    fn log(&self, level: u8, target: RString, message: RString);
    /// A [`DeviceEvent`] as JSON.
    #[sabi(last_prefix_field)]
    fn device_event(&self, event: RString);
}

/// [`Plugin`](crate::Plugin).
#[sabi_trait]
pub trait PluginAbi: Send + Sync + 'static {
    /// `[DeviceInfo]` as JSON.
    fn devices(&self) -> RResult<RString, AbiError>;
    /// Runs until it fails; events go to [`HostAbi::device_event`].
    fn discover(&self) -> AbiFuture<()>;
    fn driver(&self, device_id: RString) -> RResult<DriverObject, AbiError>;
    /// A file's bytes to a `Tree` as JSON.
    fn read_capture(&self, bytes: RSlice<'_, u8>) -> RResult<RString, AbiError>;
    /// Ends all the plugin's tasks. No call follows.
    #[sabi(last_prefix_field)]
    fn shutdown(&self);
}

// The trait macro of abi_stable knows no `cfg` on methods, hence this one around it.
macro_rules! driver_abi {
    ($($appended:tt)*) => {
        /// [`Driver`](crate::Driver). `within_ms` is the time that the call may take.
        #[sabi_trait]
        pub trait DriverAbi: Send + Sync + 'static {
            /// `[Feature]` as JSON.
            fn features(&self) -> RResult<RString, AbiError>;
            fn connect(&self, within_ms: u64) -> AbiFuture<()>;
            fn disconnect(&self, within_ms: u64) -> AbiFuture<()>;
            fn screenshot(&self, within_ms: u64) -> AbiFuture<AbiPicture>;
            fn tap(&self, at: AbiPoint, within_ms: u64) -> AbiFuture<()>;
            fn swipe(&self, swipe: AbiSwipe, within_ms: u64) -> AbiFuture<()>;
            fn input(&self, text: RString, within_ms: u64) -> AbiFuture<()>;
            /// `Launch` to `App`.
            fn launch(&self, launch: RString, within_ms: u64) -> AbiFuture<RString>;
            fn terminate(&self, app: RString, within_ms: u64) -> AbiFuture<bool>;
            /// `Tree`.
            fn tree(&self, within_ms: u64) -> AbiFuture<RString>;
            fn home(&self, within_ms: u64) -> AbiFuture<()>;
            fn lock(&self, within_ms: u64) -> AbiFuture<()>;
            fn unlock(&self, within_ms: u64) -> AbiFuture<()>;
            fn probe(&self, within_ms: u64) -> AbiFuture<()>;
            fn long_press(&self, at: AbiPoint, hold_ms: u64, within_ms: u64) -> AbiFuture<()>;
            fn double_tap(&self, at: AbiPoint, within_ms: u64) -> AbiFuture<()>;
            /// `[Finger]`.
            fn gesture(&self, fingers: RString, within_ms: u64) -> AbiFuture<()>;
            /// `Button`.
            fn press_button(&self, button: RString, within_ms: u64) -> AbiFuture<()>;
            /// `AppList`.
            fn apps(&self, within_ms: u64) -> AbiFuture<RString>;
            /// `App`.
            fn active_app(&self, within_ms: u64) -> AbiFuture<RString>;
            fn open_url(&self, url: RString, within_ms: u64) -> AbiFuture<()>;
            /// `Option<Alert>`.
            fn alert(&self, within_ms: u64) -> AbiFuture<RString>;
            fn answer_alert(&self, button: RString, within_ms: u64) -> AbiFuture<()>;
            /// `Orientation`.
            fn orientation(&self, within_ms: u64) -> AbiFuture<RString>;
            /// `Orientation`.
            fn set_orientation(&self, orientation: RString, within_ms: u64) -> AbiFuture<()>;
            fn clipboard(&self, within_ms: u64) -> AbiFuture<RString>;
            fn set_clipboard(&self, text: RString, within_ms: u64) -> AbiFuture<()>;
            fn hide_keyboard(&self, within_ms: u64) -> AbiFuture<()>;
            /// `Screen`.
            fn screen_info(&self, within_ms: u64) -> AbiFuture<RString>;
            /// `DeviceState`.
            fn device_info(&self, within_ms: u64) -> AbiFuture<RString>;
            fn frames(&self, after: u64, within_ms: u64) -> AbiFuture<AbiFrame>;
            /// `Option<Node>`.
            #[sabi(last_prefix_field)]
            fn element_at_focus(&self, within_ms: u64) -> AbiFuture<RString>;

            $($appended)*
        }
    };
}

#[cfg(not(feature = "next"))]
driver_abi! {}

#[cfg(feature = "next")]
driver_abi! {
    /// A method of a version that does not exist yet, so that a test can show that one can be appended.
    fn vibrate(&self, _within_ms: u64) -> AbiFuture<()> {
        missing("vibrate")
    }
}

/// The default body of every method that was appended after the first release: the answer of a plugin that is older.
#[cfg_attr(not(feature = "next"), allow(dead_code))]
fn missing<T: Send + 'static>(method: &str) -> AbiFuture<T> {
    let error = Error::unsupported(format!("the driver is older than this operation: {method}"));
    FfiFuture::new(async move { RResult::RErr(error.into()) })
}

/// The one symbol that a plugin library exports.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginModule_Ref)))]
#[sabi(missing_field(panic))]
pub struct PluginModule {
    /// The plugin's name, such as `wda`.
    pub name: extern "C" fn() -> RString,
    /// Its own version.
    pub version: extern "C" fn() -> RString,
    /// The version of this crate that it was built with.
    pub api_version: extern "C" fn() -> RString,
    /// Starts the plugin with a `PluginConfig` as JSON.
    #[sabi(last_prefix_field)]
    pub start: extern "C" fn(HostObject, RString) -> RResult<PluginObject, AbiError>,
}

impl RootModule for PluginModule_Ref {
    abi_stable::declare_root_module_statics! {PluginModule_Ref}
    const BASE_NAME: &'static str = "fingertip_driver";
    const NAME: &'static str = "fingertip_driver";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

/// Checks a library's header against this version of the interface and gives access to the plugin in it.
///
/// A plugin may be older or newer than the host within the same major version; its layout is checked in both directions.
///
/// # Errors
/// One sentence that names both versions, or the first thing that differs.
pub fn accept(header: AbiHeaderRef) -> Result<PluginModule_Ref, String> {
    let header = header.upgrade().map_err(|_| {
        format!(
            "it was built with another version of the library format than this host ({})",
            env!("CARGO_PKG_VERSION")
        )
    })?;
    match header.init_root_module::<PluginModule_Ref>() {
        Ok(module) => return Ok(module),
        Err(LibraryError::IncompatibleVersionNumber { expected_version, actual_version, .. }) => {
            return Err(format!(
                "it was built for driver API {actual_version} and this host has driver API {expected_version}: \
                 the first number must be the same"
            ));
        }
        Err(LibraryError::AbiInstability(_)) => {}
        Err(error) => return Err(first_line(&error.to_string())),
    }
    let Some(theirs) = header.layout() else {
        return Err("it carries no description of its layout".to_owned());
    };
    let ours = <PluginModule_Ref as StableAbi>::LAYOUT;
    match check_layout_compatibility(theirs, ours) {
        // An older plugin lacks methods that were appended since; every one of them has a default body.
        // SAFETY: the plugin's interface was just found to be a prefix of ours.
        Ok(()) => unsafe { header.init_root_module_with_unchecked_layout::<PluginModule_Ref>() }
            .map_err(|error| first_line(&error.to_string())),
        Err(_) => match check_layout_compatibility(ours, theirs) {
            Ok(()) => Err("its layout could not be checked".to_owned()),
            Err(errors) => Err(format!("its interface differs from this host's: {}", first_difference(&errors))),
        },
    }
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or("it could not be started").trim().to_owned()
}

/// The first thing that differs, as a path and what stands on both sides.
fn first_difference(errors: &AbiInstabilityErrors) -> String {
    // The deepest entry is the cause; those above it only contain it.
    let Some(deepest) = errors.errors.iter().max_by_key(|error| error.stack_trace.len()) else {
        return "unknown".to_owned();
    };
    let path: Vec<String> = deepest
        .stack_trace
        .iter()
        .map(|step| match &step.expected {
            TLFieldOrFunction::Field(field) => field.name().to_owned(),
            TLFieldOrFunction::Function(function) => function.name.to_string(),
        })
        .collect();
    let mut names: Vec<&str> = path.iter().map(String::as_str).filter(|name| !name.starts_with("__")).collect();
    names.dedup();
    let place = names.iter().rev().take(3).rev().copied().collect::<Vec<_>>().join(".");
    let what = match deepest.errs.first() {
        Some(AbiInstability::Name(pair)) => format!("type {} here, {} in the plugin", pair.expected, pair.found),
        Some(AbiInstability::FieldCountMismatch(pair)) => {
            format!("{} fields here, {} in the plugin", pair.expected, pair.found)
        }
        Some(AbiInstability::UnexpectedField(pair)) => {
            format!("{} here, {} in the plugin", pair.expected.name(), pair.found.name())
        }
        Some(AbiInstability::Size(pair)) => format!("{} bytes here, {} in the plugin", pair.expected, pair.found),
        Some(AbiInstability::MismatchedPrimitive(pair)) => {
            format!("{:?} here, {:?} in the plugin", pair.expected, pair.found)
        }
        _ => "another layout".to_owned(),
    };
    if place.is_empty() { what } else { format!("{place}: {what}") }
}

/// Every type, field and function signature of the boundary, for the snapshot that makes a change visible.
///
/// Types of one name that differ in what they hold, such as the results of different methods, are told apart by a number.
pub fn describe() -> String {
    let mut types = Types::default();
    types.visit(<PluginModule_Ref as StableAbi>::LAYOUT);
    let mut text = String::new();
    let mut next = 0;
    // Describing a type finds further ones.
    while let Some(layout) = types.found.get(next).copied() {
        types.describe(layout, &mut text);
        next += 1;
    }
    text
}

#[derive(Default)]
struct Types {
    found: Vec<&'static TypeLayout>,
    names: HashMap<UTypeId, String>,
    of_name: HashMap<String, usize>,
}

impl Types {
    fn visit(&mut self, layout: &'static TypeLayout) -> String {
        if let Some(name) = self.names.get(&layout.get_utypeid()) {
            return name.clone();
        }
        let plain = layout.full_type().to_string();
        let count = self.of_name.entry(plain.clone()).or_default();
        *count += 1;
        let name = if *count == 1 { plain } else { format!("{plain}#{count}") };
        self.names.insert(layout.get_utypeid(), name.clone());
        self.found.push(layout);
        name
    }

    fn describe(&mut self, layout: &'static TypeLayout, text: &mut String) {
        use std::fmt::Write;
        let name = self.visit(layout);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}: size {} align {}", layout.size(), layout.alignment());
        for field in layout.get_fields().into_iter().flat_map(|fields| fields.iter()) {
            let functions: Vec<_> = field.function_range().iter().collect();
            if functions.is_empty() {
                let _ = writeln!(text, "  {}: {}", field.name(), self.visit(field.layout()));
            }
            for function in functions {
                let parameters: Vec<String> =
                    function.param_type_layouts.iter().map(|layout| self.visit(layout())).collect();
                let returns = function.return_type_layout().map_or("()".to_owned(), |layout| self.visit(layout()));
                let _ = writeln!(text, "  {}({}) -> {returns}", function.name, parameters.join(", "));
            }
        }
        // What it mentions only as a generic argument, such as the target of a pointer.
        for mentioned in layout.shared_vars().type_layouts() {
            self.visit(mentioned());
        }
    }
}

// Conversions between what authors write and what crosses.

impl From<Error> for AbiError {
    fn from(error: Error) -> Self {
        AbiError { kind: name_of(&error.kind), outcome: name_of(&error.outcome), message: error.message.into() }
    }
}

impl From<AbiError> for Error {
    fn from(error: AbiError) -> Self {
        Error {
            // Both fall back to what an unknown name of a newer version must mean.
            kind: serde_json::from_value(error.kind.as_str().into()).unwrap_or(ErrorKind::Other),
            outcome: serde_json::from_value(error.outcome.as_str().into()).unwrap_or(Outcome::Unknown),
            message: error.message.into(),
        }
    }
}

fn name_of(value: &impl serde::Serialize) -> RString {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name.into(),
        _ => RString::new(),
    }
}

impl From<Point> for AbiPoint {
    fn from(point: Point) -> Self {
        AbiPoint { x: point.x, y: point.y as _ }
    }
}

impl From<AbiPoint> for Point {
    #[allow(clippy::useless_conversion, reason = "with the test feature `altered` the field has another type")]
    fn from(point: AbiPoint) -> Self {
        Point { x: point.x, y: f64::from(point.y) }
    }
}

impl From<Swipe> for AbiSwipe {
    fn from(swipe: Swipe) -> Self {
        AbiSwipe {
            from: swipe.from.into(),
            to: swipe.to.into(),
            hold_ms: millis(swipe.hold),
            duration_ms: millis(swipe.duration),
        }
    }
}

impl From<AbiSwipe> for Swipe {
    fn from(swipe: AbiSwipe) -> Self {
        Swipe {
            from: swipe.from.into(),
            to: swipe.to.into(),
            hold: Duration::from_millis(swipe.hold_ms),
            duration: Duration::from_millis(swipe.duration_ms),
        }
    }
}

impl From<Picture> for AbiPicture {
    fn from(picture: Picture) -> Self {
        AbiPicture {
            // Takes the buffer over where the picture alone holds it.
            bytes: Vec::from(picture.bytes).into(),
            media_type: match picture.format {
                PictureFormat::Png => "image/png",
                PictureFormat::Jpeg => "image/jpeg",
            }
            .into(),
            width: picture.width,
            height: picture.height,
        }
    }
}

impl TryFrom<AbiPicture> for Picture {
    type Error = Error;

    fn try_from(picture: AbiPicture) -> Result<Self> {
        let format = match picture.media_type.as_str() {
            "image/png" => PictureFormat::Png,
            "image/jpeg" => PictureFormat::Jpeg,
            other => {
                return Err(Error::new(
                    ErrorKind::PictureUnavailable,
                    format!("the driver sent a picture of type {other}"),
                ));
            }
        };
        // The buffer stays the plugin's: it is freed through the plugin's own allocator when the last reader is gone.
        let bytes = bytes::Bytes::from_owner(PluginBytes(picture.bytes));
        Ok(Picture { bytes, format, width: picture.width, height: picture.height })
    }
}

struct PluginBytes(RVec<u8>);

impl AsRef<[u8]> for PluginBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice()
    }
}

impl From<Frame> for AbiFrame {
    fn from(frame: Frame) -> Self {
        AbiFrame { number: frame.number, picture: frame.picture.into() }
    }
}

impl TryFrom<AbiFrame> for Frame {
    type Error = Error;

    fn try_from(frame: AbiFrame) -> Result<Self> {
        Ok(Frame { number: frame.number, picture: frame.picture.try_into()? })
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}

/// What may grow crosses as JSON text.
pub(crate) fn to_text(value: &impl serde::Serialize) -> Result<RString> {
    serde_json::to_string(value)
        .map(RString::from)
        .map_err(|error| Error::new(ErrorKind::Other, format!("a value could not be written as JSON: {error}")))
}

pub(crate) fn from_text<T: serde::de::DeserializeOwned>(text: &RString) -> Result<T> {
    serde_json::from_str(text.as_str()).map_err(|error| {
        Error::unknown(ErrorKind::Other, format!("the other side of the plugin boundary sent an unknown form: {error}"))
    })
}

pub(crate) fn event_from_text(text: &RString) -> Result<DeviceEvent> {
    from_text(text)
}
