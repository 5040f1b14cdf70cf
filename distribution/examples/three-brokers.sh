#!/usr/bin/env bash
# Three brokers over one Redis on this machine, a producer and a consumer group; kills each broker in turn with SIGKILL, starts it
# again, and checks that every acknowledged record was consumed. Exit code 0 if so.
set -euo pipefail

usage() {
    cat <<'USAGE'
three-brokers.sh [OPTIONS]
  --redis URI            use this Redis instead of starting one; what was written there is removed at the end if there is a redis-cli and no --keep
  --kafka-ports A,B,C    ports for clients (29092,29093,29094)
  --http-ports A,B,C     ports for health and metrics (28080,28081,28082)
  --redis-port PORT      port of the Redis that is started (26390)
  --keep                 leave Redis and brokers running at the end, and say how to end them
Needs a JDK 17 or newer, redis-server unless --redis is given, and kcat.
USAGE
}

say() { printf '%s\n' "$1"; }
fail() {
    printf 'three-brokers: %s\n' "$1" >&2
    exit 1
}

kafka_ports=29092,29093,29094 http_ports=28080,28081,28082 redis_port=26390 redis= keep=
while [ $# -gt 0 ]; do
    case $1 in
        --redis | --kafka-ports | --http-ports | --redis-port)
            [ $# -ge 2 ] || fail "$1 needs a value"
            name=${1#--}
            printf -v "${name//-/_}" %s "$2"
            shift ;;
        --keep) keep=yes ;;
        -h | --help) usage && exit ;;
        *) usage >&2 && exit 2 ;;
    esac
    shift
done
IFS=, read -ra kafka <<< "$kafka_ports"
IFS=, read -ra http <<< "$http_ports"
[ ${#kafka[@]} -eq 3 ] && [ ${#http[@]} -eq 3 ] || fail "three brokers need three --kafka-ports and three --http-ports"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
korvet=
for candidate in "$here/../bin/korvet" "$here/../../bin/korvet"; do
    [ -n "$korvet" ] || [ ! -x "$candidate" ] || korvet=$candidate
done
[ -n "$korvet" ] || fail "there is no bin/korvet above $here"
command -v kcat > /dev/null || fail "needs kcat (Debian: apt-get install kcat)"
[ -n "$redis" ] || command -v redis-server > /dev/null ||
    fail "needs redis-server (Debian: apt-get install redis-server), or --redis URI"

work=$(mktemp -d "${TMPDIR:-/tmp}/three-brokers.XXXXXX")
namespace=three-brokers-$$
topic=orders group=billing
bootstrap=localhost:${kafka[0]},localhost:${kafka[1]},localhost:${kafka[2]}
brokers=() clients=() redis_process=

end() { # PID...: ends processes and waits for them
    [ $# -eq 0 ] || { kill "$@" && wait "$@"; } 2> /dev/null || true
}

clean_up() {
    code=$?
    trap - EXIT
    trap '' INT TERM
    end "${clients[@]}"
    if [ -n "$keep" ] && [ $code -eq 0 ]; then
        say "Still running: clients at $bootstrap, files in $work. To end it:"
        say "  kill ${brokers[*]} $redis_process; rm -r $work"
        [ -n "$redis_process" ] || say "What was written stays in $redis, under $namespace:* and {$namespace:*"
        exit 0
    fi
    end "${brokers[@]}"
    [ -z "$redis_process" ] || end "$redis_process"
    if [ -n "$redis" ] && [ -z "$redis_process" ] && command -v redis-cli > /dev/null; then
        for pattern in "$namespace:*" "{$namespace:*"; do
            redis-cli -u "$redis" --scan --pattern "$pattern" 2> /dev/null |
                xargs -r redis-cli -u "$redis" DEL > /dev/null 2>&1 || true
        done
    fi
    if [ $code -eq 0 ]; then rm -rf "$work"; else say "Logs are in $work" >&2; fi
    exit $code
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

until_true() { # SECONDS WHAT COMMAND...: waits for a condition
    local limit=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        [ $SECONDS -lt $limit ] || fail "waited too long: $what"
        sleep 0.1
    done
}

now() { # milliseconds since the epoch
    local time=${EPOCHREALTIME/[.,]/}
    echo "${time%???}"
}

listens() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }

ready() { # BROKER: answers its readiness with 200; fails at once when its process is gone
    kill -0 "${brokers[$1]}" 2> /dev/null || { tail -n 20 "$work/broker-$1.log" >&2 && fail "broker $1 did not start"; }
    local status=
    { exec 3<> "/dev/tcp/127.0.0.1/${http[$1]}"; } 2> /dev/null || return 1
    printf 'GET /actuator/health/readiness HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
    read -r -t 5 _ status _ <&3 || true
    exec 3>&-
    [ "$status" = 200 ]
}

metadata() { kcat -b "$bootstrap" -L -t "$topic" -m 5 2> "$work/metadata.log" || true; }
live() { [ "$(metadata | grep -c '^  broker [0-9]')" -eq "$1" ]; }
# Each broker learns of a new topic by itself, within a second; kcat's consumer ends when its broker doesn't know the topic.
partitions() {
    for port in "${kafka[@]}"; do
        [ "$(kcat -b "localhost:$port" -L -t "$topic" -m 5 2> "$work/metadata.log" | grep -c '^    partition ')" -eq 6 ] || return 1
    done
}
leaders() { metadata | sed -n 's/^    partition .*, leader \([0-9]*\),.*/\1/p'; }

start() { # BROKER
    env "KORVET_REDIS_URI=$redis" "KORVET_NAMESPACE=$namespace" "KORVET_BROKER_ID=$1" \
        "KORVET_BROKER_PORT=${kafka[$1]}" "KORVET_BROKER_ADVERTISED_HOST=localhost" "KORVET_ADMIN_PORT=${http[$1]}" \
        "KORVET_BROKER_REBALANCE_DELAY=500ms" "KORVET_TOPICS_0_NAME=$topic" "KORVET_TOPICS_0_PARTITIONS=6" \
        "JAVA_OPTS=${JAVA_OPTS:--Xmx256m}" "$korvet" server >> "$work/broker-$1.log" 2>&1 &
    brokers[$1]=$!
}

for port in "${kafka[@]}" "${http[@]}" $([ -n "$redis" ] || echo "$redis_port"); do
    ! listens "$port" || fail "port $port is in use"
done
if [ -z "$redis" ]; then
    redis=redis://127.0.0.1:$redis_port
    redis-server --port "$redis_port" --bind 127.0.0.1 --dir "$work" --save '' --appendonly no > "$work/redis.log" 2>&1 &
    redis_process=$!
    until_true 30 "Redis listens" listens "$redis_port"
fi
# In a clone this builds what has not been built yet.
"$korvet" version > "$work/version" || fail "bin/korvet does not run"
for broker in 0 1 2; do start $broker; done
for broker in 0 1 2; do until_true 90 "broker $broker is ready" ready $broker; done
until_true 60 "all brokers are in the metadata" live 3
say "Redis at $redis; brokers 0, 1, 2 at $bootstrap"
until_true 30 "all brokers know the topic" partitions
say "Topic $topic has 6 partitions, led by brokers $(leaders | paste -sd ' ' -)"

# Clients that reconnect soon; all else is as librdkafka has it.
settings=(-b "$bootstrap" -X reconnect.backoff.max.ms=500)
for member in 1 2; do
    kcat "${settings[@]}" -G "$group" -X auto.offset.reset=earliest -X auto.commit.interval.ms=1000 -u "$topic" \
        > "$work/consumed-$member" 2> "$work/consumer-$member.log" &
    clients+=($!)
done

# The numbers 1, 2, 3 ... as keys and values, about 100 a second, until there is a file that says stop.
number_after_number() {
    trap '' PIPE
    for ((number = 1; ; number++)); do
        [ ! -e "$work/stop" ] || break
        printf '%d:%d\n' $number $number 2> /dev/null || break
        echo $number >> "$work/sent"
        sleep 0.01
    done
}
: > "$work/sent"
number_after_number | kcat "${settings[@]}" -P -t "$topic" -K : -X enable.idempotence=true -X acks=all \
    2> "$work/producer.log" &
producer=$!
clients+=($producer)

sent() { tail -n 1 "$work/sent"; }
missing() { # LAST: numbers from 1 to LAST that no member of the group has read
    sort -n -u "$work/consumed-1" "$work/consumed-2" |
        awk -v last="$1" '$1 ~ /^[0-9]+$/ && $1 >= 1 && $1 <= last { found++ } END { print last - found }'
}
running() { # fails with what it said when a client has ended by itself
    for client in "${clients[@]}"; do
        kill -0 "$client" 2> /dev/null || fail "a client has ended: $(tail -qn 2 "$work"/producer.log "$work"/consumer-*.log)"
    done
}
sent_at_least() { [ "$(sent)" -ge "$1" ]; }
consumed_to() { { [ -e "$work/stop" ] || running; } && sent_at_least "$1" && [ "$(missing "$1")" -eq 0 ]; }
balanced() { # both members of the group read
    running
    [ -s "$work/consumed-1" ] && [ -s "$work/consumed-2" ]
}

until_true 30 "the first records are sent" sent_at_least 100
until_true 60 "both members of the group read" balanced
until_true 60 "the first records are consumed" consumed_to 100
say "Producing about 100 records a second; group $group of two members has read the first 100"
say "The times below are from a kill until the group has read 200 more records, which take 2000 ms to send: not how long clients wait (docs/failover.md)"

for broker in 0 1 2; do
    led=$(leaders | grep -c "^$broker$" || true)
    began=$(now) before=$(sent)
    kill -KILL "${brokers[$broker]}"
    wait "${brokers[$broker]}" 2> /dev/null || true
    # Records of all partitions are among these 200, those of the dead broker's too.
    until_true 120 "records sent after broker $broker was killed are consumed" consumed_to $((before + 200))
    took=$(($(now) - began))
    say "Broker $broker, leader of $led partitions, killed after record $before: all records to $((before + 200)) consumed within ${took} ms of the kill, 2000 of them for sending"
    start $broker
    until_true 90 "broker $broker is ready again" ready $broker
    until_true 60 "broker $broker is in the metadata again" live 3
    after=$(sent)
    until_true 120 "records sent after broker $broker was back are consumed" consumed_to $((after + 100))
    say "Broker $broker is back; all records to $((after + 100)) consumed"
done

touch "$work/stop"
wait $producer || fail "the producer failed: $(tail -n 3 "$work/producer.log")"
! grep -i 'delivery failed' "$work/producer.log" >&2 || fail "records were not acknowledged"
total=$(sent)
until_true 60 "all $total acknowledged records are consumed" consumed_to "$total"
kcat -b "$bootstrap" -C -t "$topic" -e -q -o beginning > "$work/log" 2> "$work/reader.log" || fail "the topic can't be read"
sort -n "$work/log" | cmp -s - <(seq 1 "$total") ||
    fail "the topic does not hold each record once: $(wc -l < "$work/log") for $total sent"
read_twice=$(($(cat "$work/consumed-1" "$work/consumed-2" | wc -l) - total))
say "$total records acknowledged, each in the topic once, all consumed by the group; $read_twice read twice after rebalances"
