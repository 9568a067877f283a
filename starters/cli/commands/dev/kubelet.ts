import { isNotFound } from '../../../../k8s/kube-error.ts';
import { INSTANCE_LABEL, KUBELET_LABEL, KUBELET_RUNNING, KUBELET_STOPPED } from '../../../../k8s/model/hollow-node.ts';
import type { Node } from '../../../../k8s/model/node.ts';
import { NODES } from '../../../../k8s/resources.ts';
import { openKube } from '../../access/kube-access.ts';
import { attempt, CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';

/** `millwright dev stop-kubelet NODE`: nobody beats for the Node any more. */
export async function stopKubelet(name: string, options: GlobalOptions): Promise<void> {
  await setKubelet(name, KUBELET_STOPPED, options);
  console.log(`the kubelet of Node ${name} is stopped; the Node turns NotReady when its grace period is over`);
}

/** `millwright dev start-kubelet NODE` */
export async function startKubelet(name: string, options: GlobalOptions): Promise<void> {
  await setKubelet(name, KUBELET_RUNNING, options);
  console.log(`the kubelet of Node ${name} runs again`);
}

async function setKubelet(name: string, state: string, options: GlobalOptions): Promise<void> {
  const { kube } = openKube(options);
  const what = `find Node ${name}`;
  const node = await attempt(what, async () => {
    try {
      return await kube.get<Node>(NODES, undefined, name);
    } catch (error) {
      if (isNotFound(error)) throw new CliError(`could not ${what}: there is none of that name`, { cause: error });
      throw error;
    }
  });
  const { uid, labels = {} } = node.metadata;
  if (labels[INSTANCE_LABEL] === undefined) {
    throw new CliError(`Node ${name} is none of the embedded stack: a real kubelet is stopped on its machine`);
  }
  const body = { metadata: { uid, labels: { [KUBELET_LABEL]: state } } };
  await attempt(`change the kubelet of Node ${name}`, () => kube.mergePatch(NODES, undefined, name, body));
}
