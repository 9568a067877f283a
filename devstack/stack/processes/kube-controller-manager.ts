import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import type { StackContext } from './stack-context.ts';

/** Garbage collection, node lifecycle (NotReady, Unknown, taints), disruption budgets, and workloads for the nodes. */
export function kubeControllerManager({ options, files, ports, binary }: StackContext): ProcessSpec {
  const port = ports['kube-controller-manager'];
  return {
    name: 'kube-controller-manager',
    command: binary('kube-controller-manager'),
    args: [
      `--kubeconfig=${files.controllerManagerKubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${files.certificates}`,
      '--leader-elect=false',
      '--controllers=*,-serviceaccount-token-controller,-ttl-controller',
      `--node-monitor-grace-period=${options.nodeGraceSeconds}s`,
      '--node-monitor-period=2s',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
      '--profiling=false',
    ],
    isReady: () => answersOk({ url: `https://127.0.0.1:${port}/healthz` }),
  };
}
