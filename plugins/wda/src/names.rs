//! The names of Apple's own apps. Names of other apps are learned from what the phone shows.
//!
//! It knows English names only; a localised name has to be seen first.

/// Name and bundle id.
const APPS: &[(&str, &str)] = &[
    ("App Store", "com.apple.AppStore"),
    ("Books", "com.apple.iBooks"),
    ("Calculator", "com.apple.calculator"),
    ("Calendar", "com.apple.mobilecal"),
    ("Camera", "com.apple.camera"),
    ("Clock", "com.apple.mobiletimer"),
    ("Compass", "com.apple.compass"),
    ("Contacts", "com.apple.MobileAddressBook"),
    ("FaceTime", "com.apple.facetime"),
    ("Files", "com.apple.DocumentsApp"),
    ("Find My", "com.apple.findmy"),
    ("Fitness", "com.apple.Fitness"),
    ("Health", "com.apple.Health"),
    ("Home", "com.apple.Home"),
    ("iTunes Store", "com.apple.MobileStore"),
    ("Mail", "com.apple.mobilemail"),
    ("Maps", "com.apple.Maps"),
    ("Measure", "com.apple.measure"),
    ("Messages", "com.apple.MobileSMS"),
    ("Music", "com.apple.Music"),
    ("News", "com.apple.news"),
    ("Notes", "com.apple.mobilenotes"),
    ("Phone", "com.apple.mobilephone"),
    ("Photos", "com.apple.mobileslideshow"),
    ("Podcasts", "com.apple.podcasts"),
    ("Reminders", "com.apple.reminders"),
    ("Safari", "com.apple.mobilesafari"),
    ("Settings", "com.apple.Preferences"),
    ("Shortcuts", "com.apple.shortcuts"),
    ("Stocks", "com.apple.stocks"),
    ("Tips", "com.apple.tips"),
    ("Translate", "com.apple.Translate"),
    ("TV", "com.apple.tv"),
    ("Voice Memos", "com.apple.VoiceMemos"),
    ("Wallet", "com.apple.Passbook"),
    ("Watch", "com.apple.Bridge"),
    ("Weather", "com.apple.weather"),
];

/// The bundle id of the app with this name, whatever its case.
pub(crate) fn id_of(name: &str) -> Option<&'static str> {
    APPS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, id)| *id)
}

/// The name of the app with this bundle id.
pub(crate) fn name_of(id: &str) -> Option<&'static str> {
    APPS.iter().find(|(_, known)| known.eq_ignore_ascii_case(id)).map(|(name, _)| *name)
}
