import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { sortedJson } from '../../../k8s/json.ts';
import { MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { CAUSE_ANNOTATION } from '../../../k8s/model/cause.ts';
import type { Taint } from '../../../k8s/model/machine.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { Change } from '../../world/kubernetes/store.ts';
import { Lately } from '../people/lately.ts';
import { BOOTING, BY_HAND, EVICTS, LABELS, NOTE, POOL_TAINT, SCALE_DOWN_DISABLED } from '../people/settings-deeds.ts';

/** So long after the look that it follows from a Machine is taken, at most, in milliseconds. */
const LOOK_MS = 60_000;
const OUTDATED = 'machine.openshift.io/outdated-revision';

export interface SettingsOptions {
  readonly api: Pick<ApiServer, 'all' | 'store'>;
  readonly now: () => number;
  /** Somebody deleted it, or had it deleted since then: what a rollout that came to nothing wrote to it is no cause of that. */
  readonly isByHand: (uid: string, since: number) => boolean;
  /** What people wrote to a Node, one word each, by its uid. */
  readonly marked: (uid: string) => readonly string[];
  /** Of that, what was there already. @default nothing */
  readonly unsure?: (uid: string) => readonly string[];
  readonly accuse: (judge: string, message: string) => void;
}

/**
 * No Machine is replaced for what is changed in place; taints for the beginning, and such as evict pods, come to no Node that is in use; and
 * at the end each Node has what its template says, nothing that left it, and all that others put there.
 */
export class SettingsJudge {
  readonly #options: SettingsOptions;
  /** What makes another machine, of each deployment, by its name. */
  readonly #rolled = new Lately<string>();
  /** Uids of Nodes of which the taint for the beginning was taken off. */
  readonly #up = new Set<string>();
  looks = 0;

  constructor(options: SettingsOptions) {
    this.#options = options;
    options.api.store.onChange((change) => this.#see(change));
  }

  #see({ resource, object, previous }: Change): void {
    if (resource === NODES && previous !== undefined) this.#seeNode(object, previous);
    if (resource.plural === MACHINE_DEPLOYMENTS.plural) this.#note(object as unknown as MachineDeploymentObject);
    if (resource.plural !== MACHINES.plural || previous === undefined) return;
    const machine = object as unknown as MachineObject;
    const isGoing =
      machine.metadata.deletionTimestamp !== undefined && previous.metadata.deletionTimestamp === undefined;
    if (isGoing) this.#seeTaken(machine);
  }

  #note({ metadata, spec }: MachineDeploymentObject): void {
    const { template } = spec;
    const words = rolledWords(template.metadata?.annotations, template.spec.providerSpec);
    if (this.#rolled.since(metadata.name, Infinity).at(-1) !== words)
      this.#rolled.note(metadata.name, words, this.#options.now());
  }

  #seeTaken({ metadata, spec }: MachineObject): void {
    const pool = metadata.labels?.['pool'];
    if (pool === undefined || metadata.annotations?.[CAUSE_ANNOTATION]?.includes('replaces the machines') !== true)
      return;
    const since = this.#options.now() - LOOK_MS;
    if (this.#options.isByHand(metadata.uid, since)) return;
    this.looks += 1;
    const wanted = this.#rolled.since(pool, since);
    const own = rolledWords(metadata.annotations, spec.providerSpec);
    if (wanted.length === 0 || wanted.some((words) => words !== own)) return;
    this.#options.accuse(
      'nothing is replaced for a setting',
      `Machine ${metadata.name} is taken, and is of the template: ${own}`,
    );
  }

  #seeNode(node: Node, before: Node): void {
    const { name, uid, annotations = {} } = node.metadata;
    if (uid !== before.metadata.uid) return;
    const [has, had] = [taintKeys(node), taintKeys(before)];
    if (had.includes(BOOTING.key) && !has.includes(BOOTING.key)) this.#up.add(uid);
    const cameNow = has.filter((key) => !had.includes(key));
    if (cameNow.includes(BOOTING.key) && this.#up.has(uid)) {
      this.#options.accuse('once at joining', `Node ${name} gets ${BOOTING.key} again, which was taken off`);
    }
    if (cameNow.includes(EVICTS.key) && before.metadata.annotations?.[MACHINE_ANNOTATION] !== undefined) {
      const whose = annotations[MACHINE_ANNOTATION];
      this.#options.accuse('no Node in use is emptied', `Node ${name} of ${whose} gets ${EVICTS.key}`);
    }
  }

  /** When nothing was disturbed for long. */
  judgeEnd(): void {
    const { api } = this.#options;
    const nodes = new Map(api.all<Node & KubeObject>(NODES).map((node) => [node.metadata.uid, node]));
    const deployments = new Map(
      api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS).map((each) => [each.metadata.name, each]),
    );
    for (const { metadata, spec, status } of api.all<MachineObject>(MACHINES)) {
      const pool = metadata.labels?.['pool'];
      const node = nodes.get(status?.nodeRef?.uid ?? '');
      if (pool === undefined || node === undefined || status?.phase !== 'Running') continue;
      const deployment = deployments.get(pool);
      if (deployment !== undefined) this.#judgeNode(node, deployment, spec.taints);
    }
  }

  /** @param own taints of the Machine: one that evicts pods is on its Node where somebody wrote it before the Node joined */
  #judgeNode(node: Node, { spec: { template } }: MachineDeploymentObject, own: readonly Taint[] = []): void {
    this.looks += 1;
    const { accuse, marked, unsure = () => [] } = this.#options;
    const { name, uid } = node.metadata;
    const { metadata = {}, taints = [] } = template.spec;
    const written = marked(uid);
    const wanted = [
      ...wordsOf('label', metadata.labels, LABELS),
      ...wordsOf('annotation', metadata.annotations, [NOTE]),
      ...taints.map(taintWord),
    ];
    const mayHave = own.filter(({ key }) => key === EVICTS.key).map(taintWord);
    const has = wordsOnNode(node);
    const isOf = (word: string, keys: readonly string[]) => keys.some((key) => word.includes(` ${key}=`));
    for (const word of wanted)
      if (!has.includes(word)) accuse('a Node follows its template', `Node ${name} lacks ${word}`);
    for (const word of has) {
      if (wanted.includes(word) || written.includes(word) || mayHave.includes(word)) continue;
      accuse('a Node follows its template', `Node ${name} still has ${word}`);
    }
    // Of what templates name too the template's word counts.
    for (const word of written.filter((one) => isOf(one, [BY_HAND, SCALE_DOWN_DISABLED]))) {
      if (!has.includes(word) && !unsure(uid).includes(word))
        accuse('what others put there stays', `Node ${name} has lost ${word}`);
    }
  }
}

/** What of a template, or of a Machine that was made of it, makes another machine. */
function rolledWords(annotations: Readonly<Record<string, string>> = {}, providerSpec: unknown): string {
  return sortedJson([annotations['example.com/version'], annotations['millwright.dev/restarted-at'], providerSpec]);
}

/** What is on a Node of all that people, templates or a rollout may have put there. */
function wordsOnNode({ metadata, spec }: Node): string[] {
  const taints = (spec?.taints ?? []).filter(({ key }) =>
    [POOL_TAINT, BY_HAND, OUTDATED, BOOTING.key, EVICTS.key].includes(key),
  );
  return [
    ...wordsOf('label', metadata.labels, [...LABELS, BY_HAND]),
    ...wordsOf('annotation', metadata.annotations, [NOTE, BY_HAND, SCALE_DOWN_DISABLED]),
    ...taints.map(taintWord),
  ];
}

function wordsOf(what: string, map: Readonly<Record<string, string>> = {}, keys: readonly string[]): string[] {
  return keys.flatMap((key) => (map[key] === undefined ? [] : [`${what} ${key}=${map[key]}`]));
}

function taintWord({ key, value = '' }: Taint): string {
  return `taint ${key}=${value}`;
}

function taintKeys({ spec }: Node): string[] {
  return (spec?.taints ?? []).map(({ key }) => key);
}
