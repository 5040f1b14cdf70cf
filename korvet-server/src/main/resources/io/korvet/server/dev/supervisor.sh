# Runs one program for as long as standard input is open, then ends it with SIGTERM and waits for it.
# So it goes when its parent goes, however that ends. Arguments: a directory to remove after a clean end, or "", then the program.
trap '' INT HUP QUIT
remove=$1
shift
exec 3<&0
if [ -z "$KORVET_OWN_SESSION" ]; then
    # Without setsid(1), job control gives the program a process group that the terminal's Ctrl-C doesn't reach.
    set -m 2>/dev/null
fi
"$@" 3<&- </dev/null &
program=$!
(
    while read -r _ <&3; do :; done
    kill -TERM "$program" 2>/dev/null
) &
watcher=$!
exec 3<&-
trap 'kill -TERM "$program" 2>/dev/null' TERM
wait "$program"
status=$?
while kill -0 "$program" 2>/dev/null; do
    wait "$program"
    status=$?
done
kill -KILL "$watcher" 2>/dev/null
if [ -n "$remove" ] && [ "$status" -eq 0 ]; then
    rm -rf "$remove"
fi
exit "$status"
