//! x
use crate::recognise::Raw;
use crate::Area;

pub(crate) enum Verdict {
    Text,
    Unread,
    Nothing,
}

pub(crate) fn judge(raw: &Raw, _area: &Area, likelihood: f32) -> Verdict {
    let _ = likelihood;
    if raw.score >= 0.5 && raw.letters.iter().any(|l| !l.text.trim().is_empty()) { Verdict::Text } else { Verdict::Unread }
}
