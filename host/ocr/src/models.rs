//! The networks: loading and running them.
//!
//! Knows the runtime and the files that come with this crate; what goes into a network and what its answer means is known
//! to `detect` and `recognise`.

use crate::scale::Planes;
use crate::{OcrError, envelope};
use rten::{Dimension, Model, ModelOptions, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::{NdTensor, NdTensorView};
use std::sync::{Arc, LazyLock, OnceLock};

/// The dictionary of the recogniser that comes with this crate.
pub(crate) const DICTIONARY: &str = include_str!("../../assets/ocr/ppocrv6_dict.txt");

// In place and aligned, so that the weights are used where the program's file is mapped and never copied.
static DETECTOR: &[u8] = rten::include_external_data!("../../assets/ocr/PP-OCRv6_det_small.rten");
static RECOGNISER: &[u8] = rten::include_external_data!("../../assets/ocr/PP-OCRv6_rec_small.rten");

/// Threads that are computed with at most: the host has other work.
pub(crate) const THREADS: usize = 2;

/// The threads of one run of a network. Runs over large inputs share all of them; runs over small ones lose more by
/// waiting for each other's parts than they win, and go side by side on one each.
pub(crate) struct Threads(Arc<ThreadPool>);

impl Threads {
    /// All threads together.
    pub(crate) fn all() -> Threads {
        static ALL: LazyLock<Arc<ThreadPool>> = LazyLock::new(|| Arc::new(ThreadPool::with_num_threads(THREADS)));
        Threads(Arc::clone(&ALL))
    }

    /// One of them, by its number.
    pub(crate) fn one(index: usize) -> Threads {
        static SINGLE: LazyLock<[Arc<ThreadPool>; THREADS]> =
            LazyLock::new(|| std::array::from_fn(|_| Arc::new(ThreadPool::with_num_threads(1))));
        Threads(Arc::clone(&SINGLE[index % THREADS]))
    }
}

/// A network with one input and one output.
pub(crate) struct Network(Model);

impl AsRef<Network> for Network {
    fn as_ref(&self) -> &Network {
        self
    }
}

impl Network {
    /// The detector that comes with this crate, loaded once in the process.
    pub(crate) fn detector() -> Result<&'static Network, OcrError> {
        static LOADED: OnceLock<Result<Network, OcrError>> = OnceLock::new();
        LOADED.get_or_init(|| Network::embedded(DETECTOR)).as_ref().map_err(Clone::clone)
    }

    /// The recogniser that comes with this crate, loaded once in the process.
    pub(crate) fn recogniser() -> Result<&'static Network, OcrError> {
        static LOADED: OnceLock<Result<Network, OcrError>> = OnceLock::new();
        LOADED.get_or_init(|| Network::embedded(RECOGNISER)).as_ref().map_err(Clone::clone)
    }

    fn embedded(bytes: &'static [u8]) -> Result<Network, OcrError> {
        let model = ModelOptions::with_all_ops().load_static_slice(bytes);
        model.map(Network).map_err(|error| OcrError::Model(error.to_string()))
    }

    /// A network from a file's bytes.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Network, String> {
        if !envelope::is_whole(&bytes) {
            return Err("the file is no network in .onnx or .rten form, or not all of one".to_owned());
        }
        // The loader is made for files that a converter wrote, and may stumble over others.
        let loaded = std::panic::catch_unwind(|| Model::load(bytes));
        let loaded = loaded.map_err(|_| "the file is damaged".to_owned())?;
        loaded.map(Network).map_err(|error| format!("the network cannot be loaded: {error}"))
    }

    /// The height of its input where the file says one.
    pub(crate) fn height(&self) -> Option<usize> {
        match self.0.input_shape(0)?.as_slice() {
            [_, _, Dimension::Fixed(height), _] => Some(*height),
            _ => None,
        }
    }

    /// Runs it and hands its output over as `N` dimensions.
    pub(crate) fn run<const N: usize>(&self, planes: &Planes, threads: &Threads) -> Result<NdTensor<f32, N>, OcrError> {
        let failed = |error: &dyn std::fmt::Display| OcrError::Model(error.to_string());
        let shape = [1, 3, planes.height, planes.width];
        let input = NdTensorView::try_from_data(shape, planes.data.as_slice()).map_err(|error| failed(&error))?;
        let mut options = RunOptions::default();
        options.thread_pool = Some(Arc::clone(&threads.0));
        let output =
            self.0.run_one(ValueOrView::from(input.as_dyn()), Some(options)).map_err(|error| failed(&error))?;
        output.try_into().map_err(|_| failed(&"the network's output has another shape"))
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    #[test]
    fn the_files_are_those_that_were_checked_in() {
        let sums = include_str!("../../assets/ocr/SHA256SUMS");
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/ocr");
        let mut seen = 0;
        for line in sums.lines() {
            let (sum, name) = line.split_once("  ").expect("a sum and a name");
            let bytes = std::fs::read(format!("{folder}/{name}")).expect(name);
            let actual: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(actual, sum, "{name}");
            seen += 1;
        }
        assert_eq!(seen, 3);
    }
}
