//! What is carried out on a machine: scripts for a Bourne shell, whatever the login shell is.

/// Carries out a masked script, which is the first argument, with those behind it.
pub const RUN: &str = r#"script=$1; shift; eval "$(printf %b "$script")""#;

/// A text for the `%b` of printf(1) without what login shells other than Bourne's read differently even in quotes: csh ends a word with the line, and looks `!` up; fish takes
/// backslashes away.
pub fn masked(text: &str) -> String {
    let is_plain = |one: char| !matches!(one, '\\' | '\'' | '!' | '\n');
    text.chars()
        .map(|one| if is_plain(one) { one.to_string() } else { format!("\\0{:03o}", u32::from(one)) })
        .collect()
}

/// Starts an agent: the arguments are its name, the program's architecture, the agent's folder, the path of the program or nothing, the script [`SERVE`] masked, the agent's patience
/// and the same in seconds, and the program's size. Standard input has the invitation's line, then the program. Prints the agent's folder. A connection that breaks meanwhile leaves
/// nothing, although the shell can't tell anybody (it would be ended by SIGPIPE, without its EXIT).
pub const UP: &str = r#"set -eu
umask 077
IFS= read -r invitation
if [ -z "$4" ] && [ "$(uname -m)" != "$2" ]; then
  echo "this machine is $(uname -m), and the program that would be copied is for $2: install wiredyno there, and name it by program = in [fleet.ssh]" >&2
  exit 1
fi
command -v setsid > /dev/null || { echo "this machine has no setsid (util-linux): install it" >&2; exit 1; }
mkdir "$3"
trap 'rm -rf "$3"' EXIT
trap 'exit 1' HUP INT PIPE TERM
cd "$3"
printf '%s\n' "$invitation" > invitation
if [ -n "$4" ]; then
  ln -s "$4" wiredyno
else
  cat > wiredyno
  if [ "$(wc -c < wiredyno)" -ne "$8" ]; then echo "the program did not come whole" >&2; exit 1; fi
  chmod 700 wiredyno
fi
./wiredyno --version > version 2>&1 || { cat version >&2; exit 1; }
printf '%b' "$5" > serve
setsid sh serve "$1" "$6" "$7" < /dev/null > /dev/null 2>&1 &
trap - EXIT HUP INT PIPE TERM
tries=0
while [ ! -s pid ] && [ "$tries" -lt 50 ]; do sleep 0.1 || sleep 1; tries=$((tries + 1)); done
if [ ! -s pid ]; then echo "the agent's shell did not start" >&2; rm -rf "$3"; exit 1; fi
printf '%s\n' "$3"
"#;

/// What stays on the machine, in the agent's folder: the arguments are the agent's name, its patience and the same in seconds.
///
/// The shell outlives a request to end its session (TERM), to say that the agent has ended.
pub const SERVE: &str = r#"trap : TERM
echo $$ > pid
./wiredyno agent invitation --name "$1" --patience "$2" > log 2>&1
echo $? > status
mv status ended
rm -f wiredyno invitation
folder=$PWD
left=$3
while [ "$left" -gt 0 ] && [ -d "$folder" ]; do sleep 1; left=$((left - 1)); done
cd /
rm -rf "$folder"
"#;

/// Prints `runs`, or the exit code of the agent in a folder and what it said, or `killed` if its shell is gone too. A folder that is another user's is none of ours: a name that has become
/// free can be taken by anybody.
pub const HOW: &str = r#"cd "$1" 2> /dev/null && [ -O . ] && [ ! -L "$1" ] || { echo "gone"; exit 0; }
if [ -e ended ]; then cat ended; tail -n 5 log; exit 0; fi
if p=$(cat pid 2> /dev/null) && [ "$(readlink "/proc/$p/cwd")" != "$(pwd -P)" ]; then echo killed; tail -n 5 log; exit 0; fi
echo runs
"#;

/// Waits for the end of the agent in a folder, or of what was to start it there; asks for it after three seconds, forces it after eight, and removes the folder. A number in `pid` is only
/// believed of a process that works in the folder: after a restart of the machine it may be another's.
pub const DOWN: &str = r#"cd "$1" 2> /dev/null && [ -O . ] && [ ! -L "$1" ] || exit 0
here=$(pwd -P)
tell() { p=$(cat pid 2> /dev/null) && [ "$(readlink "/proc/$p/cwd")" = "$here" ] && kill -s "$1" -- "-$p" 2> /dev/null; }
step=0
while [ -d "$1" ] && [ ! -e ended ] && [ "$step" -lt 100 ]; do
  if [ "$step" -eq 30 ]; then tell TERM; fi
  if [ "$step" -eq 80 ]; then tell KILL; break; fi
  sleep 0.1 || sleep 1
  step=$((step + 1))
done
cd /
rm -rf "$1"
"#;
