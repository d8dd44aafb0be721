//! `lab figure4`: area and frequency against T for both units, from the rows of
//! `lab area` and `lab timing` alone, beside what Collange & Brunie 2017 (§3.3, Fig. 4)
//! say; and, with those of `lab units`, area against what a unit issues too much.

mod chart;
mod claims;
mod data;
mod page;
#[cfg(test)]
mod tests;
mod tradeoff;

use crate::cli::exit;
use crate::error::BadInput;
use crate::lab::policies::write;
use clap::Args;
use data::Data;
use std::path::PathBuf;

/// Options of `lab figure4`.
#[derive(Args)]
pub struct Figure4Args {
    /// Folder of the results, where the rows are
    #[arg(long, value_name = "DIR", default_value = "docs/results")]
    out: PathBuf,
}

/// Makes table and figure; the exit code.
pub fn main(args: &Figure4Args) -> Result<u8, BadInput> {
    let data = Data::read(&args.out)?;
    let mut texts = vec![("figure4.md", page::page(&data)), ("figure4.svg", chart::draw(&data))];
    texts.extend(tradeoff::draw(&data).map(|text| ("tradeoff.svg", text)));
    for (name, text) in texts {
        let path = args.out.join(name);
        write(&path, &text)?;
        println!("lab: {}", path.display());
    }
    Ok(exit::PASS)
}
