//! The web pages that exist in this phone, by address.

/// A page of the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    /// Where the browser starts.
    Start,
    /// A long text with a picture and links.
    Article,
    /// One picture.
    Photo,
    /// So many rows.
    Rows(usize),
    /// So many elements, each inside the one before.
    Deep(usize),
    /// Any other address.
    Site(String),
    /// Words that are no address.
    Search(String),
}

/// More rows or levels than this are not made.
const MOST: usize = 5_000;

impl Page {
    /// The page of an address. `demo:start`, `demo:article`, `demo:photo`, `demo:COUNT` (rows) and `demo:deep:COUNT` also
    /// exist as `https://demo.example/…` with slashes.
    pub(crate) fn of(address: &str) -> Page {
        let address = address.trim();
        let bare = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
        let rest = bare.unwrap_or(address);
        let name = match rest.strip_prefix("demo.example") {
            Some(path) if path.is_empty() || path.starts_with('/') => Some(path.trim_matches('/').replace('/', ":")),
            _ => address.strip_prefix("demo:").map(String::from),
        };
        if let Some(name) = name {
            let count = |text: &str| text.parse::<usize>().ok().map(|count| count.min(MOST));
            let name = name.strip_prefix("rows:").unwrap_or(&name);
            return match name {
                "" | "start" => Page::Start,
                "article" => Page::Article,
                "photo" => Page::Photo,
                _ => match (count(name), name.strip_prefix("deep:").and_then(count)) {
                    (Some(rows), _) => Page::Rows(rows),
                    (_, Some(levels)) => Page::Deep(levels),
                    _ => Page::Site(format!("demo.example/{name}")),
                },
            };
        }
        if bare.is_some() || (address.contains('.') && !address.contains(char::is_whitespace)) {
            Page::Site(rest.trim_end_matches('/').to_string())
        } else {
            Page::Search(address.to_string())
        }
    }

    /// What stands above it.
    pub(crate) fn title(&self) -> String {
        match self {
            Page::Start => "Start".into(),
            Page::Article => "The Lake at Dawn".into(),
            Page::Photo => "Photo".into(),
            Page::Rows(count) => format!("Table with {count} rows"),
            Page::Deep(levels) => format!("{levels} levels"),
            Page::Site(address) => address.split(['/', '?', '#']).next().unwrap_or(address).to_string(),
            Page::Search(words) => format!("Results for {words}"),
        }
    }
}

/// A part of the article.
pub(crate) enum Part {
    Heading(&'static str),
    Text(&'static str),
    /// A link: its words and where it leads.
    Link(&'static str, &'static str),
    Photo,
}

/// The article.
pub(crate) const ARTICLE: &[Part] = &[
    Part::Heading("The Lake at Dawn"),
    Part::Text("By Iris Fontaine, 9 June"),
    Part::Photo,
    Part::Text(
        "The path to the lake starts behind the old mill and climbs through birch and heather for an hour before the \
         water comes into sight. Set out in the dark and you have the shore to yourself.",
    ),
    Part::Text(
        "At that time of day nothing moves. The surface is so still that the far mountains stand on their heads in it, \
         and the first boat of the morning seems to fly between two skies.",
    ),
    Part::Link("See the photo on its own", "demo:photo"),
    Part::Heading("How to get there"),
    Part::Text(
        "Take the 6:10 bus from the market square to the last stop. From there the way is marked with yellow dots. \
         Bring a warm coat: even in summer the wind off the snow is cold until the sun has cleared the ridge.",
    ),
    Part::Text(
        "The mill sells bread on Saturdays. If the door is closed, knock at the house with the blue shutters; the baker \
         lives there and does not mind.",
    ),
    Part::Link("Timetable", "demo:300"),
    Part::Heading("What to look for"),
    Part::Text(
        "Grebes nest in the reeds on the north side. Keep to the boards there, and keep dogs on the lead until the end \
         of July. On the south side the rocks hold garnets the size of a pinhead, best seen when they are wet.",
    ),
    Part::Text(
        "Towards noon the wind turns and brings the sound of bells from the valley. That is the moment to unpack lunch, \
         and to be glad that nobody else got up as early.",
    ),
    Part::Heading("Before you go"),
    Part::Text("Tell somebody where you are. There is no reception past the second bridge."),
    Part::Link("Back to the start page", "demo:start"),
];

/// The links of the start page: words and address.
pub(crate) const START: &[(&str, &str)] = &[
    ("The Lake at Dawn", "demo:article"),
    ("Photo of the day", "demo:photo"),
    ("Table with 300 rows", "demo:300"),
    ("Weather in the valley", "https://weather.example/valley"),
    ("News", "https://news.example"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_pages() {
        for (address, page) in [
            ("demo:1000", Page::Rows(1000)),
            ("https://demo.example/rows/250", Page::Rows(250)),
            ("http://demo.example/article", Page::Article),
            ("demo.example", Page::Start),
            ("demo:deep:3000", Page::Deep(3000)),
            ("demo:99999999", Page::Rows(MOST)),
            ("https://demo.examples.org/", Page::Site("demo.examples.org".into())),
            ("news.example", Page::Site("news.example".into())),
            ("how tall are giraffes", Page::Search("how tall are giraffes".into())),
        ] {
            assert_eq!(Page::of(address), page, "{address}");
        }
        assert_eq!(Page::of("https://news.example/a/b?c").title(), "news.example");
    }
}
