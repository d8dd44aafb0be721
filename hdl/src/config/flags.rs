//! Complaints of the command line.

/// What clap has to say, in one line.
pub fn one_line(e: &clap::Error) -> String {
    let text = e.to_string();
    let lines = text.lines().map(str::trim).take_while(|l| !l.starts_with("Usage:"));
    let parts: Vec<_> = lines.filter(|l| !l.is_empty() && !l.starts_with("For more")).collect();
    // To clap a second program is a subcommand out of place.
    let text = parts.join(" ").replacen("the subcommand", "the argument", 1);
    text.trim_start_matches("error: ").to_string()
}
