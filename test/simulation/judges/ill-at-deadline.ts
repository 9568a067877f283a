import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import {
  OTHER_REMEDIATE_ANNOTATION,
  REMEDIATE_ANNOTATION,
  SKIP_REMEDIATION_ANNOTATION,
} from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { parseDuration } from '../../../k8s/model/duration.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import { rulesIn, type BadTime, type NodeHistory } from './node-history.ts';
import { DECIDED_MS, type Remediation, type Remediations } from './remediations.ts';

/** By so much a process's clock may be off: half of what two of them may be apart. Milliseconds. */
const CLOCK_OFF_MS = ASSUMPTIONS.clockSkewMs / 2;
/** What comes between a change and the look that sees it, and between two looks, in milliseconds. */
const LOOK_MS = 10_000;

export interface IllAtDeadlineOptions {
  readonly api: Pick<ApiServer, 'store'>;
  readonly now: () => number;
  readonly nodes: NodeHistory;
  readonly remediations: Pick<Remediations, 'checks'>;
  readonly accuse: (message: string) => void;
}

/** What a check deletes was bad for long enough, by what the API server showed; and nobody wanted it left alone. */
export class IllAtDeadlineJudge {
  readonly #options: IllAtDeadlineOptions;
  /** By the uid of a Machine: when the launch on its record was prepared. */
  readonly #launched = new Map<string, { readonly preparedAt: string; readonly at: number }>();

  constructor(options: IllAtDeadlineOptions) {
    this.#options = options;
    options.api.store.onChange(({ resource, object }) => {
      if (resource.plural !== MACHINES.plural) return;
      const { metadata, status } = object as unknown as MachineObject;
      const { preparedAt } = status?.providerStatus?.launch ?? {};
      if (preparedAt === undefined || this.#launched.get(metadata.uid)?.preparedAt === preparedAt) return;
      this.#launched.set(metadata.uid, { preparedAt, at: options.now() });
    });
  }

  see({ machine, check, at }: Remediation): void {
    const { accuse, remediations } = this.#options;
    const { name } = machine.metadata;
    const veto = vetoOf(machine, at);
    if (veto !== undefined) accuse(`Machine ${name} is remediated, and ${veto}`);
    const told = remediations.checks.since(check, at - DECIDED_MS);
    if (told.length > 0 && told.every(({ metadata }) => metadata.annotations?.[PAUSED_ANNOTATION] !== undefined)) {
      accuse(`Machine ${name} is remediated, and its health check is paused`);
    }
    if (!told.some((each) => this.#wasIll(machine, each, at))) {
      accuse(`Machine ${name} is remediated, and was not unhealthy for long enough`);
    }
  }

  #wasIll({ metadata, status }: MachineObject, { spec }: MachineHealthCheckObject, now: number): boolean {
    const { nodes } = this.#options;
    const { annotations = {}, uid } = metadata;
    if (REMEDIATE_ANNOTATION in annotations || OTHER_REMEDIATE_ANNOTATION in annotations) return true;
    if (status?.phase === 'Failed') return true;
    const node = status?.nodeRef?.uid;
    if (node === undefined) {
      const launchedAt = this.#launched.get(uid)?.at ?? Infinity;
      return now - launchedAt >= (parseDuration(spec.nodeStartupTimeout) ?? 0) - CLOCK_OFF_MS - LOOK_MS;
    }
    if (nodes.wasGone(node, now - DECIDED_MS, now)) return true;
    return rulesIn(spec).some((rule) => wasBadTooLong(nodes.badTimes(node, rule), rule.timeoutMs, now));
  }
}

/** Whether something was bad for its time-out, or for more than half of three of them, when it was looked at: a moment ago. */
export function wasBadTooLong(times: readonly BadTime[], timeoutMs: number, now: number): boolean {
  // What was good for less than that may lie between two looks.
  const seen = bridged(times, timeoutMs / 2 + LOOK_MS).filter(({ from }) => from <= now);
  return seen.some(({ from, to }) => {
    const at = Math.min(to, now);
    if (at < now - DECIDED_MS) return false;
    if (at - from >= timeoutMs - LOOK_MS) return true;
    const windowMs = 3 * timeoutMs;
    const bad = seen.map((each) => Math.min(each.to, at) - Math.max(each.from, at - windowMs)).filter((ms) => ms > 0);
    const badMs = bad.reduce((sum, ms) => sum + ms, 0);
    // The end of each is seen a look later.
    return badMs > windowMs / 2 - bad.length * LOOK_MS;
  });
}

function bridged(times: readonly BadTime[], mostMs: number): readonly BadTime[] {
  return times.reduce<BadTime[]>((all, time) => {
    const last = all.at(-1);
    if (last === undefined || time.from - last.to > mostMs) return [...all, time];
    return [...all.slice(0, -1), { from: last.from, to: time.to }];
  }, []);
}

/** The deletion took effect for this very version of the Machine. */
function vetoOf({ metadata: { annotations = {}, ownerReferences } }: MachineObject, now: number): string | undefined {
  if (PAUSED_ANNOTATION in annotations) return 'it is paused';
  if (controllerOf(ownerReferences) === undefined) return 'nobody would replace it';
  const skip = annotations[SKIP_REMEDIATION_ANNOTATION];
  if (skip === undefined) return undefined;
  const until = Date.parse(skip);
  return Number.isNaN(until) || until > now + CLOCK_OFF_MS ? 'somebody wants it left alone' : undefined;
}
