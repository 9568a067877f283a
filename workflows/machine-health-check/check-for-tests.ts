import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Decision } from './decision.ts';
import type { FoundCheck, SeenCause, SetSight, Suspect } from './health-activities.ts';
import { emptyHealthMemory, type HealthMemory } from './health-memory.ts';
import { began, decide } from './plan-remediation.ts';

export const NOW = Date.parse('2026-01-01T12:00:00Z');
export const MINUTE = 60_000;
export const CHECK_UID = 'uid-of-the-check';
export const REPLACE = { action: 'Replace', drainTimeoutMs: 10 * MINUTE, onTimeout: 'Wait' } as const;
export const ANNOTATE = { action: 'Annotate', key: 'remedy.example', value: '', timeoutMs: 10 * MINUTE } as const;
export const SET: ObjectRef = {
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'MachineSet',
  namespace: 'default',
  name: 'workers',
  uid: 'uid-of-workers',
};
export const NOT_READY_KEY = 'node Ready=False,Unknown 300000';
/** What many Nodes that are not Ready have in common. */
export const NOT_READY = 'node Ready';

export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** A Node that is not Ready, by a rule of five minutes. */
export function notReady(changes: Partial<SeenCause> = {}): SeenCause {
  return {
    key: NOT_READY_KEY,
    kind: 'condition',
    condition: NOT_READY,
    words: 'Ready of its Node is Unknown (NodeStatusUnknown)',
    timeoutMs: 5 * MINUTE,
    ...changes,
  };
}

export function neverJoined(launchedAt: number): SeenCause {
  const words = 'its Node did not come';
  return { key: 'never joined', kind: 'neverJoined', words, timeoutMs: 10 * MINUTE, since: launchedAt };
}

export function failed(changes: Partial<SeenCause> = {}): SeenCause {
  return { key: 'failed UpdateError', kind: 'failed', words: 'it is Failed (UpdateError)', timeoutMs: 0, ...changes };
}

export function wished(): SeenCause {
  return { key: 'wished', kind: 'wished', words: 'a person wants it remediated (disk)', timeoutMs: 0 };
}

export function suspect(name: string, changes: Partial<Suspect> = {}): Suspect {
  return {
    name,
    uid: `uid-of-${name}`,
    createdAt: iso(NOW - 600 * MINUTE),
    set: SET,
    node: name,
    nodeReady: 'Unknown',
    causes: [notReady()],
    ...changes,
  };
}

export function withoutSet({ set: _set, ...rest }: Suspect): Suspect {
  return rest;
}

export function setSight(changes: Partial<SetSight> = {}): SetSight {
  return { name: SET.name, missing: 0, unready: [], ...changes };
}

/** A check of ten machines, by the defaults. */
export function found(changes: Partial<FoundCheck> = {}): FoundCheck {
  const { expected = 10, suspects = [] } = changes;
  return {
    found: true,
    seenAt: NOW,
    generation: 1,
    claimed: [],
    leaving: [],
    well: [],
    paused: false,
    limits: { maxUnhealthy: { percent: 100 }, nodeStartupTimeoutMs: 10 * MINUTE },
    remediation: {
      steps: [REPLACE],
      maxInFlight: { percent: 20 },
      stormThreshold: { percent: 50 },
      stormWindowMs: 5 * MINUTE,
    },
    expected,
    healthy: expected - suspects.length,
    suspects,
    lostZones: [],
    sets: { [SET.uid]: setSight() },
    outages: [],
    status: {},
    settings: DEFAULT_MACHINE_SETTINGS,
    ...changes,
  };
}

/** What is decided at one look after another, and what the check remembers in between. */
export class Course {
  memory: HealthMemory;
  last: Decision | undefined;

  constructor(memory: HealthMemory = emptyHealthMemory()) {
    this.memory = memory;
  }

  /** @param answer what comes of each step that begins; undefined: no answer comes */
  look(at: number, seen: FoundCheck, answer: Parameters<typeof began>[2] | undefined = { outcome: 'done' }): Decision {
    const decision = decide(seen, this.memory, at, { uid: CHECK_UID });
    this.last = decision;
    this.memory = decision.memory;
    if (answer !== undefined) {
      for (const { machine } of decision.begin) this.answer(machine.uid, answer);
    }
    return decision;
  }

  answer(uid: string, answer: Parameters<typeof began>[2]): void {
    this.memory = began(this.memory, uid, answer);
  }

  /** Looks whenever that was asked for, until a time; answers the names of what began, in order. */
  lookUntil(from: number, until: number, seen: (now: number) => FoundCheck): { name: string; at: number }[] {
    const all: { name: string; at: number }[] = [];
    for (let now = from; now <= until; now = this.last?.lookAt ?? Infinity) {
      for (const { machine } of this.look(now, seen(now)).begin) all.push({ name: machine.name, at: now });
    }
    return all;
  }
}

export function begunOf({ begin }: Decision): string[] {
  return begin.map(({ machine }) => machine.name);
}

export function reasonsOf({ brakes }: Decision): string[] {
  return brakes.map(({ reason }) => reason);
}

/** What the row of a Machine says. */
export function rowOf({ unhealthy }: Decision, name: string) {
  const row = unhealthy.find((one) => one.name === name);
  if (row === undefined) throw new Error(`there is no row of ${name}`);
  return row;
}
