# A node of the cluster: containerd and the kubelet, with folders of their own in place of those of this machine. FLEET is the folder of unpacked programs, CLUSTER that
# of Kubernetes', GROUP the beginning of the names of control groups.
number=${name#n}
here=$PWD/$name
for folder in /run /var/lib /var/log; do mount -t tmpfs tmpfs "$folder"; done
mkdir -p "$here" /run/cni
ip route add default via 10.99.0.254
for other in 1 2; do [ "$other" = "$number" ] || ip route add "10.100.$other.0/24" via "10.99.0.$other"; done
echo 1 > /proc/sys/net/ipv4/ip_forward
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then groups=/sys/fs/cgroup; else groups=$(echo /sys/fs/cgroup/*); fi
for group in $groups; do
  mkdir -p "$group/GROUP$name"
  # The processors that may be used are none in a new group of version 1.
  for file in cpuset.mems cpuset.cpus; do
    if [ -e "$group/$file" ] && [ "$group" != /sys/fs/cgroup ]; then cat "$group/$file" > "$group/GROUP$name/$file"; fi
  done
done
mkdir -p "$here/cni"
cat > "$here/cni/10-test.conflist" << END
{"cniVersion": "0.4.0", "name": "test", "plugins": [{"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false,
  "ipam": {"type": "host-local", "dataDir": "/run/cni", "ranges": [[{"subnet": "10.100.$number.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
END
cat > "$here/containerd.toml" << END
version = 2
root = "$here/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "$here/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "FLEET/usr/lib/cni"
    conf_dir = "$here/cni"
END
cat > "$here/kubelet.yaml" << END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
cgroupRoot: /GROUP$name
enforceNodeAllocatable: []
failSwapOn: false
failCgroupV1: false
oomScoreAdj: 0
containerRuntimeEndpoint: unix://$here/containerd.sock
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
podLogsDir: $here/logs
localStorageCapacityIsolation: false
evictionHard: {memory.available: "100Mi"}
imageGCHighThresholdPercent: 100
makeIPTablesUtilChains: false
END
containerd -c "$here/containerd.toml" > "$here.containerd.log" 2>&1 &
until ctr -a "$here/containerd.sock" version > /dev/null 2>&1 && [ -e admin.conf ]; do sleep 0.1; done
for image in IMAGES; do ctr -a "$here/containerd.sock" -n k8s.io image import "$image" > /dev/null; done
CLUSTER/kubelet --kubeconfig=admin.conf --config="$here/kubelet.yaml" --root-dir="$here/kubelet" --cert-dir="$here/kubelet/pki" \
  --hostname-override="$name" --node-ip="10.99.0.$number" > "$here.kubelet.log" 2>&1 &
