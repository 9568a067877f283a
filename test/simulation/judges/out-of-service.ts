import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { OUT_OF_SERVICE, type Node } from '../../../k8s/model/node.ts';
import { hasTaint } from '../../../k8s/model/taint.ts';
import { NODES } from '../../../k8s/resources.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { CloudInMemory } from '../cluster/cloud.ts';

export interface OutOfServiceOptions {
  readonly api: Pick<ApiServer, 'store' | 'all'>;
  readonly cloud: Pick<CloudInMemory, 'living' | 'touched'>;
  readonly accuse: (message: string) => void;
}

/**
 * A Node that is told of as out of service loses its pods, and their volumes are attached elsewhere: what runs on it would write beside
 * its successor. It is told of so only for a Machine that goes for good, and never while the instance runs. (One that somebody stopped by
 * hand may be started in the moment of the write: that is not judged.)
 */
export function judgeOutOfService({ api, cloud, accuse }: OutOfServiceOptions): void {
  api.store.onChange(({ resource, type, object, previous }) => {
    if (resource.plural !== NODES.plural || type !== 'MODIFIED') return;
    const { metadata, spec } = object as unknown as Node;
    if (!isOut(object) || (previous !== undefined && isOut(previous))) return;
    const machine = api.all<MachineObject>(MACHINES).find(({ status }) => status?.nodeRef?.uid === metadata.uid);
    if (machine !== undefined && machine.metadata.deletionTimestamp === undefined) {
      accuse(`${metadata.name} is told of as out of service, and Machine ${machine.metadata.name} is not deleted`);
    }
    const running = cloud
      .living()
      .find(({ providerID, state }) => providerID === spec?.providerID && state === 'running');
    if (running !== undefined && !cloud.touched.has(running.id)) {
      accuse(`${metadata.name} is told of as out of service, and instance ${running.id} runs`);
    }
  });
}

function isOut(node: object): boolean {
  return hasTaint((node as Node).spec?.taints, OUT_OF_SERVICE);
}
