import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { instanceIdOf } from '../../../k8s/model/provider-id.ts';
import { readinessOf, type Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import { isMaster } from '../people/control-plane.ts';
import { Lately } from '../people/lately.ts';
import type { Universe } from '../universe.ts';
import { A_MOMENT_MS } from './new-machine.ts';

/** Least number of others that stay. */
const QUORUM = 2;

/** Of a control plane one goes at a time, and only while enough of the others are Ready. */
export class ControlPlaneJudge {
  readonly #universe: Pick<Universe, 'api' | 'agenda' | 'cloud'>;
  readonly #accuse: (judge: string, message: string) => void;
  /** Whether a Node is Ready, by its name. */
  readonly #ready = new Lately<boolean>(false);
  /** By the uids of Machines whose instance was asked to end, while it ran: that instance. */
  readonly #ended = new Map<string, string>();
  /** Instances that were asked to end before they had joined: they may end at any time, and to ask once more is nothing new. */
  readonly #neverJoined = new Set<string>();

  constructor(universe: Pick<Universe, 'api' | 'agenda' | 'cloud'>, accuse: (judge: string, message: string) => void) {
    this.#universe = universe;
    this.#accuse = accuse;
    universe.api.store.onChange(({ resource, type, object }) => {
      if (resource.plural !== NODES.plural) return;
      const isReady = type !== 'DELETED' && readinessOf(object as unknown as Node)?.status === 'True';
      const [newest] = this.#ready.since(object.metadata.name, Infinity);
      if (newest !== isReady) this.#ready.note(object.metadata.name, isReady, universe.agenda.now);
    });
  }

  /** The product asked the cloud to end an instance. */
  seeEnd(id: string): void {
    const { api, cloud, agenda } = this.#universe;
    const masters = api.all<MachineObject>(MACHINES).filter(isMaster);
    const machine = masters.find(({ status }) => status?.providerStatus?.instanceId === id);
    if (machine === undefined || this.#ended.has(machine.metadata.uid) || this.#neverJoined.has(id)) return;
    // How it and the others are was looked at a moment before, and the call may have been long on its way.
    const since = agenda.now - A_MOMENT_MS - ASSUMPTIONS.callEffectMs;
    // One that has never joined is of no quorum.
    if (machine.status?.nodeRef === undefined && !this.#hasJoined(id, since)) {
      this.#neverJoined.add(id);
      return;
    }
    if (!cloud.living().some((each) => each.id === id && each.state === 'running') || cloud.touched.has(id)) return;
    const { uid, name } = machine.metadata;
    const others = masters.filter(({ metadata }) => metadata.uid !== uid);
    const going = others.find(({ metadata }) => this.#ended.has(metadata.uid));
    if (going !== undefined) {
      this.#accuse('one of a control plane', `${name} is ended, and ${going.metadata.name} is not gone yet`);
    }
    this.#ended.set(uid, id);
    const ready = others.filter(({ status }) => this.#ready.since(status?.nodeRef?.name ?? '', since).includes(true));
    if (ready.length >= QUORUM) return;
    this.#accuse('a control plane keeps its quorum', `${name} is ended, and ${ready.length} of the others are Ready`);
  }

  /** Whatever its Machine says: a Node that names the instance has been there since before then. */
  #hasJoined(id: string, time: number): boolean {
    return this.#universe.api
      .all<Node>(NODES)
      .some(
        ({ metadata, spec }) => instanceIdOf(spec?.providerID) === id && Date.parse(metadata.creationTimestamp) < time,
      );
  }
}
