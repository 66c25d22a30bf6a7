#!/bin/sh
# Ignores SIGTERM, starts a child in a session of its own that does too, and floods its output.
# Argument: a folder, into whose file "beat" the child writes for as long as it lives.
trap '' TERM
setsid sh -c 'trap "" TERM; while :; do date +%s%N >>"$1/beat"; sleep 0.05; done' sh "$1" &
echo "started"
exec yes '{"type":"flood"}'
