# The first process of a machine, which starts its daemon and is the parent of all that loses its own.
# Arguments: its name and number.
set -e
name=$1
hostname "$name"
until ip link set eth0 up 2> /dev/null; do sleep 0.01; done
ip link set lo up
ip addr add "10.99.0.$2/24" dev eth0
. ./daemon.sh
sleep infinity &
wait
