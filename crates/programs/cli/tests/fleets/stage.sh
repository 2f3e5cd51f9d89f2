# A network of its own, where the test's coordinator is at 10.99.0.254, and a machine for each name: the first is at 10.99.0.1. All of it ends with this process.
# Arguments: the folder of the stage, the script of a machine, the machines' names.
set -e
cd "$1"
machine=$2
shift 2
ip link set lo up
ip link add br0 type bridge
ip addr add 10.99.0.254/24 dev br0
ip link set br0 up
number=0
for name; do
  number=$((number + 1))
  unshare --net --mount --pid --uts --fork --kill-child --mount-proc sh "$machine" "$name" "$number" < /dev/null > "$name.said" 2>&1 &
  while [ "$(readlink "/proc/$!/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
  ip link add "link$number" type veth peer name eth0 netns $!
  ip link set "link$number" master br0 up
done
. ./center.sh
sleep infinity &
wait
