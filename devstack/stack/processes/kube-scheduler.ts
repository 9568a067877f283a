import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import type { StackContext } from './stack-context.ts';

/** Places pods on the nodes, so that there is something to drain. */
export function kubeScheduler({ files, ports, binary }: StackContext): ProcessSpec {
  const port = ports['kube-scheduler'];
  return {
    name: 'kube-scheduler',
    command: binary('kube-scheduler'),
    args: [
      `--kubeconfig=${files.schedulerKubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${files.certificates}`,
      '--leader-elect=false',
      '--profiling=false',
    ],
    isReady: () => answersOk({ url: `https://127.0.0.1:${port}/healthz` }),
  };
}
