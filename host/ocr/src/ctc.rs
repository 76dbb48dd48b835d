//! From a recogniser's likelihoods to characters and where along the line they stand.
//!
//! Knows the greedy reading of such an output: the likeliest class of each step, repeats joined. Does not know what the
//! classes stand for.

/// A character that was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Letter {
    /// Its class; never the one that stands for nothing.
    pub(crate) class: usize,
    /// Middle of its steps, as a count of steps from the left.
    pub(crate) at: f64,
    /// The highest likelihood among its steps.
    pub(crate) likelihood: f32,
}

/// Reads steps of `classes` likelihoods each. Class 0 stands for nothing.
pub(crate) fn letters(likelihoods: &[f32], classes: usize) -> Vec<Letter> {
    let mut letters: Vec<Letter> = Vec::new();
    let mut last = 0;
    let mut first_step = 0;
    for (step, row) in likelihoods.chunks_exact(classes.max(1)).enumerate() {
        let (class, likelihood) = likeliest(row);
        if class != 0 {
            match letters.last_mut() {
                Some(letter) if class == last => {
                    letter.likelihood = letter.likelihood.max(likelihood);
                    letter.at = (first_step + step + 1) as f64 / 2.0;
                }
                _ => {
                    first_step = step;
                    letters.push(Letter { class, at: step as f64 + 0.5, likelihood });
                }
            }
        }
        last = class;
    }
    letters
}

fn likeliest(row: &[f32]) -> (usize, f32) {
    let mut best = (0, f32::NEG_INFINITY);
    for (class, likelihood) in row.iter().enumerate() {
        if *likelihood > best.1 {
            best = (class, *likelihood);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(steps: &[usize]) -> Vec<Letter> {
        let rows: Vec<f32> = steps
            .iter()
            .flat_map(|class| (0..4).map(|c| if c == *class { 0.9 } else { 0.03 }).collect::<Vec<_>>())
            .collect();
        letters(&rows, 4)
    }

    #[test]
    fn repeats_are_one_letter_unless_nothing_lies_between() {
        let classes = |steps: &[usize]| read(steps).iter().map(|letter| letter.class).collect::<Vec<_>>();
        assert_eq!(classes(&[0, 1, 1, 0, 1, 2, 2, 0, 3]), [1, 1, 2, 3]);
        assert_eq!(classes(&[0, 0]), [0usize; 0]);
    }

    #[test]
    fn a_letter_stands_in_the_middle_of_its_steps() {
        let letters = read(&[0, 1, 1, 1, 0, 2]);
        assert_eq!(letters[0].at, 2.5);
        assert_eq!(letters[1].at, 5.5);
    }

    proptest! {
        #[test]
        fn any_output_can_be_read(values in proptest::collection::vec(any::<f32>(), 0..200), classes in 0usize..20) {
            let read = letters(&values, classes);
            let steps = values.len() / classes.max(1);
            for pair in read.windows(2) {
                prop_assert!(pair[0].at < pair[1].at);
            }
            for letter in read {
                prop_assert!(letter.class > 0 && letter.class < classes && letter.at <= steps as f64);
            }
        }
    }
}
