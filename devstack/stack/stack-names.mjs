/** What a stack has names for. Read before anything is installed, too: plain JavaScript. */

/** The clouds that `--provider` takes; the first is the default. */
export const PROVIDER_NAMES = ['simulated', 'aws'];

/** Everything of the stack that listens. All of it on 127.0.0.1. */
export const PORT_NAMES = [
  'kube-apiserver',
  'temporal',
  'temporal-ui',
  'temporal-http',
  'cloud',
  'moto',
  'etcd',
  'etcd-peer',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'hollow-nodes-health',
  'worker-health',
  'watcher-health',
];
