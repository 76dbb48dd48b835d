//! The people in Contacts: invented, always the same, in alphabetical order.

use std::sync::LazyLock;

/// How many there are.
pub(crate) const COUNT: usize = 120;

/// One person.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) phone: String,
    pub(crate) mail: String,
}

const FIRST: [&str; 60] = [
    "Ada", "Aisha", "Alan", "Amara", "Bela", "Boris", "Carmen", "Chidi", "Clara", "Daniel", "Dora", "Elias", "Emma",
    "Erik", "Fatima", "Felix", "Freya", "Gina", "Grace", "Hana", "Hugo", "Ida", "Ines", "Ivan", "Jack", "Jana", "Joao",
    "Karim", "Kate", "Lars", "Leila", "Linus", "Maya", "Milan", "Nadia", "Niels", "Olga", "Oscar", "Paolo", "Petra",
    "Quentin", "Rana", "Rosa", "Ruben", "Sara", "Selma", "Simon", "Tara", "Theo", "Tomas", "Uma", "Ursula", "Vera",
    "Victor", "Wanda", "William", "Xenia", "Yara", "Zeno", "Zoe",
];

const LAST: [&str; 17] = [
    "Abbott",
    "Berg",
    "Castillo",
    "Dubois",
    "Eriksen",
    "Fontaine",
    "Greer",
    "Hoffmann",
    "Ito",
    "Jensen",
    "Kowalski",
    "Lindqvist",
    "Moreau",
    "Novak",
    "Okafor",
    "Petrov",
    "Rossi",
];

static PEOPLE: LazyLock<Vec<Person>> = LazyLock::new(|| {
    let person = |name: String, n: usize| Person {
        mail: format!("{}@example.com", name.to_lowercase().replace(' ', ".")),
        // These numbers are set aside for drama.
        phone: format!("+44 20 7946 0{n:03}"),
        name,
    };
    let mut people: Vec<Person> = (0..COUNT)
        .map(|n| {
            let first = FIRST[n % FIRST.len()];
            let last = match n {
                0 => "Lovelace",
                2 => "Turing",
                18 => "Hopper",
                _ => LAST[(n * 7 + n / FIRST.len() * 3) % LAST.len()],
            };
            person(format!("{first} {last}"), n)
        })
        .collect();
    people.sort_by(|a, b| a.name.cmp(&b.name));
    people
});

/// All of them, by name.
pub(crate) fn people() -> &'static [Person] {
    &PEOPLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_somebody_else() {
        let mut names: Vec<_> = people().iter().map(|person| &person.name).collect();
        assert!(names.is_sorted());
        names.dedup();
        assert_eq!(names.len(), COUNT);
        assert!(people().iter().any(|person| person.name == "Ada Lovelace"));
    }
}
