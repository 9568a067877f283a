export declare const PROVIDER_NAMES: readonly ['simulated', 'aws'];
export declare const PORT_NAMES: readonly [
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
