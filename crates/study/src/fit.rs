//! What of a study's file does not belong together: names, cells, sizes, and runs that nothing asks for.

use ciphermeter_core::Bytes;

use crate::claim::Claim;
use crate::part::{Fault, Part};
use crate::published::Published;
use crate::question::{Pick, Question, Way};
use crate::study::{Measure, Study};

impl Study {
    /// The first part that is wrong, and why.
    pub(crate) fn error(&self) -> Option<Fault> {
        let is_word = |text: &str| {
            !text.is_empty()
                && text.len() <= 40
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        if !is_word(&self.name) {
            return Some(Part::key("name").is_wrong("a name has 1 to 40 letters, digits and hyphens"));
        }
        if self.title.trim().is_empty() {
            return Some(Part::key("title").is_wrong("a title says what is compared"));
        }
        if let Some(why) = self.group.error(&self.sides, self.decides.as_deref()) {
            return Some(Part::key("group").is_wrong(why));
        }
        for (number, table) in self.tables.iter().enumerate() {
            let part = Part::nth("table", number, &table.id);
            // Files of figures have their names.
            let is_named = is_word(&table.id) && self.tables[..number].iter().all(|before| before.id != table.id);
            if !is_named || !table.columns.iter().all(|column| is_word(&column.id)) {
                return Some(part.is_wrong(
                    "its name and its columns' take 1 to 40 letters, digits and hyphens, and no table has another's name",
                ));
            }
            if let Some(why) = table.error() {
                return Some(part.is_wrong(why));
            }
            let scenario = table.here.as_ref().map(|here| &here.scenario);
            if let Some(name) = scenario.filter(|name| self.measures.iter().all(|measure| measure.scenario != **name)) {
                return Some(part.is_wrong(format!("no measure of the study has the scenario `{name}` of its `here`")));
            }
        }
        for (number, check) in self.checks.iter().enumerate() {
            let why = match self.table(&check.table) {
                None => Some(format!("there is no table `{}`", check.table)),
                Some(table) => check.error(table),
            };
            if let Some(why) = why {
                return Some(Part::nth("check", number, &check.says).is_wrong(why));
            }
        }
        self.claims
            .iter()
            .enumerate()
            .find_map(|(number, claim)| {
                let is_named = is_word(&claim.id) && self.claims[..number].iter().all(|before| before.id != claim.id);
                let part = Part::nth("claim", number, &claim.id);
                match is_named {
                    true => {
                        claim.error().map(|why| part.clone().is_wrong(why)).or_else(|| self.claim_error(claim, &part))
                    }
                    false => Some(
                        part.is_wrong("its id takes 1 to 40 letters, digits and hyphens, and no claim has another's"),
                    ),
                }
            })
            .or_else(|| self.measure_error())
    }

    /// What of a claim does not fit the rest of the study.
    fn claim_error(&self, claim: &Claim, part: &Part) -> Option<Fault> {
        let is_wrong = |why: String| part.clone().is_wrong(why);
        for way in Way::ALL {
            let Some(question) = claim.question(way) else { continue };
            let Some(measure) = self.measure(&question, way) else { return Some(self.unserved(&question, way, part)) };
            let beside = |why: String| Some(is_wrong(why).beside(self.part_of(measure)));
            let is_measured = |size: &&Bytes| measure.messages.is_empty() || measure.messages.contains(size);
            let sizes = |pick: &Pick| pick.messages.iter().find(|size| !is_measured(size)).copied();
            if let Some(size) = sizes(question.left).or_else(|| sizes(question.right)) {
                return beside(format!("its measure of `{}` has no messages of {size}", measure.scenario));
            }
            let is_left_out =
                |name: &&str| !measure.providers.is_empty() && measure.providers.iter().all(|one| one != name);
            // A board has libraries of its own.
            let own = [question.left, question.right].into_iter().filter(|pick| pick.board.is_none());
            if let Some(name) = own.filter_map(Pick::library).find(is_left_out) {
                let there = measure.providers.join(", ");
                return beside(format!("its measure of `{}` has no provider `{name}`, only {there}", measure.scenario));
            }
        }
        let question = claim.question(Way::AsPublished);
        let measured = question.and_then(|question| self.measure(&question, Way::AsPublished));
        let sizes = measured.map_or(&[][..], |measure| &measure.messages);
        claim.published.iter().enumerate().find_map(|(number, published)| {
            let is_twin = |before: &Published| before.here.is_some() && before.here == published.here;
            let why = match claim.published[..number].iter().any(is_twin) {
                true => Some("another published ratio stands beside the same pairs".into()),
                false => published.error(&self.tables, question, sizes),
            };
            why.map(|why| is_wrong(format!("published ratio `{}`: {why}", published.what)))
        })
    }

    /// Why no measure answers a question: the one that is nearest lacks something.
    fn unserved(&self, question: &Question<'_>, way: Way, part: &Part) -> Fault {
        let of_scenario = || self.measures.iter().filter(|measure| measure.scenario == question.scenario);
        let (scenario, way) = (question.scenario, way.as_str());
        if let Some(measure) = of_scenario().find(|measure| measure.cpu == question.cpu) {
            let why = format!("its measure of `{scenario}` does not serve `{way}` comparisons: add that to `serves`");
            return part.clone().is_wrong(why).beside(self.part_of(measure));
        }
        match of_scenario().next() {
            Some(measure) => {
                let why = format!("its measure of `{scenario}` has another CPU: give both the same `cpu`, or none");
                part.clone().is_wrong(why).beside(self.part_of(measure))
            }
            None => part.clone().is_wrong(format!("no measure of the study has its scenario `{scenario}`")),
        }
    }

    /// Where a measure of its own stands.
    pub fn part_of(&self, measure: &Measure) -> Part {
        let place = self.measures.iter().position(|one| std::ptr::eq(one, measure)).unwrap_or_default();
        Part::measure(place, &measure.scenario, measure.cpu)
    }

    /// The first measure that is there twice, or that serves no claim in the way that it says.
    fn measure_error(&self) -> Option<Fault> {
        self.measures.iter().enumerate().find_map(|(number, measure)| {
            let is_same = |one: &Measure| one.scenario == measure.scenario && one.cpu == measure.cpu;
            let serves = |way| {
                let questions = self.claims.iter().filter_map(|claim| claim.question(way));
                questions.filter_map(|question| self.measure(&question, way)).any(|one| one == measure)
            };
            // They are arguments of a command line that is shown to be typed.
            let is_name = |name: &String| {
                let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-@._".contains(&byte);
                name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.bytes().all(is_letter)
            };
            let why = if !measure.providers.iter().all(is_name) {
                "a provider's name begins with a letter or digit and has no other signs than `-`, `@`, `.` and `_`"
                    .into()
            } else if let Some(first) = self.measures[..number].iter().find(|one| is_same(one)) {
                let why = "there are two of that scenario and CPU; make one of them";
                return Some(self.part_of(measure).is_wrong(why).beside(self.part_of(first)));
            } else if measure.needs.as_ref().is_some_and(|needs| needs.trim().is_empty()) {
                "its `needs` is empty: say what few machines have, or leave it out".into()
            } else if measure.serves.is_empty() {
                "it serves no comparison: give serves = [\"as-published\"], [\"proper\"] or both".into()
            } else {
                let idle = measure.serves.iter().find(|way| !serves(**way))?;
                format!("no claim is compared `{}` by it", idle.as_str())
            };
            Some(self.part_of(measure).is_wrong(why))
        })
    }
}
