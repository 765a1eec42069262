use crate::args::BenchSelf;
use crate::exit::Exit;
use anyhow::Result;
pub fn bench_self(_what: BenchSelf) -> Result<Exit> {
    Ok(Exit::Fine)
}
