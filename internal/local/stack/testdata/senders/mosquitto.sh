# Publishes the hour with mosquitto_pub, from the minute in the first argument on, and prints each
# minute that is acknowledged.
set -eu
for minute in $(seq "$1" 59); do
  batch=$(for cpu in 0 1 2 3 4 5 6 7 8 9; do
    printf ',{"timestamp":%d,"stream":"cpu%d","temperature":%d}' $((1776693600 + 60 * minute)) "$cpu" "$minute"
  done)
  until mosquitto_pub -h "${TIDEMARK_MQTT%:*}" -p "${TIDEMARK_MQTT##*:}" -q 1 \
    -t tidemark/devices/mosquitto/readings/batch -m "[${batch#,}]"; do :; done
  echo "$minute"
done
