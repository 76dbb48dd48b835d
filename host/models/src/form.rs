//! The forms in which a decision can be asked for, and which of them a model was found to answer.
//!
//! Knows the order in which they are tried. Each clone of a model shares what was found.

use crate::Answers;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// A form of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The tools are sent as such.
    Tools,
    /// The answer is held to a schema.
    Schema,
    /// Only the text says how to answer.
    Text,
}

/// The forms that may be used for one model.
#[derive(Debug)]
pub(crate) struct Forms {
    answers: Answers,
    /// The form that worked, counted from one; zero as long as none did.
    worked: AtomicU8,
    /// Whether the server was found not to take that a call is demanded.
    lax: AtomicBool,
}

const ALL: [Form; 3] = [Form::Tools, Form::Schema, Form::Text];

impl Forms {
    pub(crate) fn new(answers: Answers) -> Forms {
        Forms { answers, worked: AtomicU8::new(0), lax: AtomicBool::new(false) }
    }

    /// The form of a first question.
    pub(crate) fn first(&self) -> Form {
        match self.answers {
            Answers::Auto => self.worked().unwrap_or(Form::Tools),
            Answers::Tools => Form::Tools,
            Answers::Schema => Form::Schema,
            Answers::Text => Form::Text,
        }
    }

    /// Whether a call of a tool is demanded, where tools are sent.
    pub(crate) fn demands(&self) -> bool {
        !self.lax.load(Ordering::Relaxed)
    }

    /// Remembers that the server does not take such a demand.
    pub(crate) fn demand_no_more(&self) {
        self.lax.store(true, Ordering::Relaxed);
    }

    /// What to try when the server refuses this form. One in which the model answered before is not given up for one refusal,
    /// whatever that says.
    pub(crate) fn after_refusal(&self, form: Form) -> Option<Form> {
        match (self.answers, form) {
            _ if self.worked() == Some(form) => None,
            (Answers::Auto, Form::Tools) => Some(Form::Schema),
            (Answers::Auto, Form::Schema) => Some(Form::Text),
            _ => None,
        }
    }

    /// The form of the second question, when the first was answered in prose. A model that is known to answer a form keeps to
    /// it: one lapse is no reason to ask it otherwise from then on.
    pub(crate) fn after_prose(&self, form: Form) -> Form {
        if self.answers == Answers::Auto && form == Form::Tools && self.worked().is_none() {
            Form::Schema
        } else {
            form
        }
    }

    /// Remembers what was answered with a decision, the first time.
    pub(crate) fn keep(&self, form: Form) {
        let number = ALL.iter().position(|other| *other == form).map_or(0, |at| at as u8 + 1);
        let _ = self.worked.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn worked(&self) -> Option<Form> {
        let number = self.worked.load(Ordering::Relaxed);
        ALL.get(usize::from(number).checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_stays_with_what_worked() {
        let forms = Forms::new(Answers::Auto);
        assert_eq!((forms.first(), forms.after_prose(Form::Tools)), (Form::Tools, Form::Schema));
        assert_eq!((forms.after_refusal(Form::Schema), forms.after_refusal(Form::Text)), (Some(Form::Text), None));
        forms.keep(Form::Schema);
        forms.keep(Form::Text);
        assert_eq!((forms.first(), forms.after_refusal(Form::Schema)), (Form::Schema, None));
        let forms = Forms::new(Answers::Auto);
        forms.keep(Form::Tools);
        assert_eq!((forms.first(), forms.after_prose(Form::Tools)), (Form::Tools, Form::Tools));
        assert_eq!(forms.after_refusal(Form::Tools), None);
    }

    #[test]
    fn a_configured_form_is_kept_to() {
        let forms = Forms::new(Answers::Tools);
        assert_eq!((forms.first(), forms.after_refusal(Form::Tools)), (Form::Tools, None));
        assert_eq!(forms.after_prose(Form::Tools), Form::Tools);
    }
}
