import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBELET_LABEL, KUBELET_RUNNING } from '../../../k8s/model/hollow-node.ts';
import { parseAllDocuments } from 'yaml';
import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import type { StackContext } from './stack-context.ts';

/** The kubelets: heartbeats of every Node with the label, and a life for the pods on it. */
export function kwok({ options, files, ports, binary }: StackContext): ProcessSpec {
  writeFileSync(files.kwokStages, stagesWithHeartbeat((options.nodeGraceSeconds * 1000) / 3));
  return {
    name: 'kwok',
    command: binary('kwok'),
    args: [
      `--kubeconfig=${files.kwokKubeconfig}`,
      `--config=${files.kwokStages}`,
      `--manage-nodes-with-label-selector=${KUBELET_LABEL}=${KUBELET_RUNNING}`,
      // With Leases a Node would stay Ready after its instance died: KWOK renews them until the Node is deleted.
      '--node-lease-duration-seconds=0',
      `--server-address=127.0.0.1:${ports.kwok}`,
    ],
    isReady: () => answersOk({ url: `http://127.0.0.1:${ports.kwok}/healthz` }),
  };
}

/** The stages with a beat about every `beatMs`, spread so that Nodes made together do not beat together. */
function stagesWithHeartbeat(beatMs: number): string {
  const stages = parseAllDocuments(readFileSync(join(import.meta.dirname, 'kwok-stages.yaml'), 'utf8'));
  for (const stage of stages) {
    if (stage.getIn(['metadata', 'name']) !== 'node-heartbeat') continue;
    stage.setIn(['spec', 'delay', 'durationMilliseconds'], Math.round(beatMs * 0.8));
    stage.setIn(['spec', 'delay', 'jitterDurationMilliseconds'], Math.round(beatMs * 1.2));
  }
  return stages.map((stage) => stage.toString()).join('---\n');
}
