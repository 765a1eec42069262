//! The worker's side: reads a line, answers it, until the input ends.

use std::io::{self, BufRead, Write};

use crate::{Describe, JsonLine, Reply, Request, read_line};

/// A worker's implementation. Every failure is a reply, too.
pub trait Serve {
    /// The offers.
    fn describe(&mut self) -> Describe;

    /// Answers any request but `describe`.
    fn answer(&mut self, request: Request) -> Reply;
}

/// Serves one harness until its input ends.
pub fn serve(worker: &mut impl Serve, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        let lines = match read_line(&mut input, &mut buffer) {
            Ok(false) => return Ok(()),
            Ok(true) if buffer.iter().all(u8::is_ascii_whitespace) => continue,
            Ok(true) => answer(worker, &buffer),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => vec![Reply::Error(error.to_string()).line()],
            Err(error) => return Err(error),
        };
        let text: String = lines.iter().map(JsonLine::write).collect();
        output.write_all(text.as_bytes())?;
        output.flush()?;
    }
}

fn answer(worker: &mut impl Serve, text: &[u8]) -> Vec<JsonLine> {
    match JsonLine::parse(text).and_then(|line| Request::read(&line)) {
        Ok(Request::Describe) => worker.describe().lines(),
        Ok(request) => vec![worker.answer(request).line()],
        Err(error) => vec![Reply::Error(format!("{error}; PROTOCOL.md has each request's keys")).line()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Deaf;
    impl Serve for Deaf {
        fn describe(&mut self) -> Describe {
            Describe { worker: "deaf".into(), runtime: "none".into(), ..Describe::default() }
        }
        fn answer(&mut self, _: Request) -> Reply {
            Reply::Unsupported("all".into())
        }
    }

    fn session(input: &str) -> Vec<String> {
        let mut output = Vec::new();
        serve(&mut Deaf, input.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(String::from).collect()
    }

    #[test]
    fn every_line_gets_one_answer_and_blank_lines_none() {
        let answers = session("\n  \n{\"do\":\"clock\"}\nnonsense\n{\"do\":\"describe\"}");
        assert_eq!(answers.len(), 4, "{answers:?}");
        assert_eq!(answers[0], r#"{"is":"unsupported","why":"all"}"#);
        assert!(answers[1].starts_with(r#"{"is":"error","why":"not one flat JSON object"#));
        assert!(answers[2].starts_with(r#"{"is":"worker","protocol":1"#));
        assert_eq!(answers[3], r#"{"is":"end"}"#);
    }
}
