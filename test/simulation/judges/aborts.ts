import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeRequest } from '../../world/kubernetes/request.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import { A_MOMENT_MS } from './new-machine.ts';
import type { Wishes } from './wishes.ts';

export interface AbortJudgeOptions {
  readonly api: Pick<ApiServer, 'store'>;
  readonly wishes: Wishes;
  readonly now: () => number;
  /** Has it judged whether a hook before the termination holds back what is done. */
  readonly judgeHook: (machine: MachineObject, what: string) => void;
  readonly accuse: (judge: string, message: string) => void;
}

/** What is asked for and taken back: nothing of it goes on after that was acknowledged, and nothing ends by it. */
export class AbortJudge {
  readonly #options: AbortJudgeOptions;

  constructor(options: AbortJudgeOptions) {
    this.#options = options;
  }

  /** A pod is evicted or deleted, on the Node of this Machine. */
  seeEviction({ metadata: { uid, name } }: MachineObject, what: string): void {
    const { wishes, now, accuse } = this.#options;
    const { toEmptySince, takenBack, isAcknowledged } = wishes.of(uid);
    // What was sent for a reboot that is called off may take effect a moment later.
    const isRebooted = wishes.reboots.since(uid, now() - A_MOMENT_MS - ASSUMPTIONS.requestEffectMs).includes(true);
    if (toEmptySince !== undefined || isRebooted) return;
    if (takenBack === undefined)
      accuse('nobody drained for nothing', `${what}, and nobody wants Machine ${name} drained`);
    else if (isAcknowledged) accuse('an abort holds', `${what}, after Machine ${name} said that nothing is under way`);
  }

  /**
   * A request of the product takes effect.
   *
   * @param by the type of the workflow that it is for
   */
  seeRequest({ verb, resource, namespace, name = '', body }: KubeRequest, by: string | undefined): void {
    if (verb !== 'delete' || resource.plural !== MACHINES.plural || by !== 'machine') return;
    const { api, accuse, judgeHook } = this.#options;
    const stored = api.store.get(MACHINES, namespace, name);
    if (stored === undefined || !isMeant(stored, body)) return;
    const machine = stored as unknown as MachineObject;
    if (machine.metadata.deletionTimestamp !== undefined) return;
    const what = `Machine ${name} is deleted by its own workflow`;
    if (machine.spec.delete !== true) accuse('what is taken back stays', `${what}, and spec.delete is not true`);
    judgeHook(machine, what);
  }

  /** The cloud is asked to end the instance of this Machine. */
  seeEnd({ metadata: { name, deletionTimestamp } }: MachineObject, id: string): void {
    if (deletionTimestamp !== undefined) return;
    this.#options.accuse('what is taken back stays', `instance ${id} is ended, and nobody deleted Machine ${name}`);
  }
}

/** Whether it has what the request names as preconditions: another one is not deleted. */
function isMeant({ metadata }: { metadata: { uid: string; resourceVersion: string } }, body: unknown): boolean {
  const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = (body ?? {}) as Partial<typeof metadata>;
  return uid === metadata.uid && resourceVersion === metadata.resourceVersion;
}
