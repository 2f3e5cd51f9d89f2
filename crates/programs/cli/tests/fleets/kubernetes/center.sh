# The control plane, beside the nodes. CLUSTER is the folder of its programs.
hostname center
for number in 1 2; do ip route add "10.100.$number.0/24" via "10.99.0.$number"; done
openssl genrsa -out service.key 2048 2> /dev/null
echo admin,admin,1,system:masters > tokens.csv
cat > new.conf << END
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "https://10.99.0.254:6443", insecure-skip-tls-verify: true}}]
users: [{name: test, user: {token: admin}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
current-context: test
END
mv new.conf admin.conf
etcd --data-dir etcd --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 --initial-cluster default=http://127.0.0.1:2380 \
  > etcd.log 2>&1 &
CLUSTER/kube-apiserver --etcd-servers=http://127.0.0.1:2379 --secure-port=6443 --advertise-address=10.99.0.254 --cert-dir=serving \
  --service-account-key-file=service.key --service-account-signing-key-file=service.key --service-account-issuer=https://kubernetes.default.svc \
  --service-cluster-ip-range=10.96.0.0/16 --token-auth-file=tokens.csv --authorization-mode=RBAC > apiserver.log 2>&1 &
# A node that does not answer is noticed after seconds, as long as nothing else is started.
CLUSTER/kube-controller-manager --kubeconfig=admin.conf --leader-elect=false --service-account-private-key-file=service.key \
  --cert-dir=serving-manager --node-monitor-grace-period=20s > manager.log 2>&1 &
CLUSTER/kube-scheduler --kubeconfig=admin.conf --leader-elect=false --cert-dir=serving-scheduler > scheduler.log 2>&1 &
