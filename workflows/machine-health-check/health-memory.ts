import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { given } from '../../providers/given.ts';
import type { SurveyHealth } from './health-activities.ts';

/*
 * What a check must not forget between two looks. Plain JSON: it goes from run to run. It holds nothing of machines that are
 * healthy and have been for a while. All times are in milliseconds since the epoch.
 */
export interface HealthMemory {
  /** When the last look was. Absent: there was none. */
  readonly lookedAt?: number;
  /** Of the check at the last look: other rules may not have been looked for. */
  readonly rules?: string;
  /** Of Machines by uid, and of each by the key of its cause. */
  readonly sightings: Readonly<Record<string, Sightings>>;
  /** Remediations under way, by the uid of the Machine that is being remediated. */
  readonly slots: Readonly<Record<string, Slot>>;
  readonly storms: readonly Storm[];
  /** Machines that were replaced lately, the oldest first: what they had may be the beginning of a storm. */
  readonly replaced: readonly ReplacedLately[];
  /** Most remediations at a time while the check feels its way after a storm. Absent: as many as it may. */
  readonly pace?: number;
  /** Sets that were whole again after a Machine was replaced, the oldest first: what came may be no better. */
  readonly madeWhole: readonly MadeWhole[];
  /** By the uid of a set: when a Machine of it was last remediated because it had never joined. */
  readonly neverJoined: Readonly<Record<string, number>>;
  /** By the uid of a Machine: its step was refused again and again, and others come first for a while. */
  readonly setAside: Readonly<Record<string, SetAside>>;
  /** By the uid of a Machine: the wish for its last reboot, which has helped. What is bad of it afterwards is another trouble. */
  readonly helped: Readonly<Record<string, string>>;
  /** What held remediations up of late, and was told: when it did so last. */
  readonly restricted: Readonly<Record<string, number>>;
}

export type Sightings = Readonly<Record<string, Sighting>>;

/** What is known of one cause of one Machine. */
export interface Sighting {
  /** Since when it is bad. Absent: it is good now. */
  readonly since?: number;
  /** When it said at the last look that it began. */
  readonly changedAt?: number;
  readonly timeoutMs: number;
  /** Earlier times in which it was bad, the oldest first. Absent: none. */
  readonly spells?: readonly Spell[];
  /** That it has lasted for too long was told. */
  readonly isTold?: true;
}

/** A time in which something was bad for the most part, or for some of it. */
export interface Spell {
  readonly from: number;
  readonly to: number;
  /** How much of it. */
  readonly badMs: number;
}

/** A remediation under way. It is there before anything is asked for, until the set has what it wants again. */
export interface Slot {
  readonly name: string;
  /** Absent: nobody controls the Machine, so that it can only be annotated. */
  readonly set?: ObjectRef;
  readonly isControlPlane?: true;
  /** Why: a sentence. */
  readonly cause: string;
  readonly startedAt: number;
  /** The place of the step in `remediation.steps`. */
  readonly step: number;
  readonly action: RemediationStep['action'];
  /** Of a step that another program is to take: the key of the annotation, or what names the template. */
  readonly key?: string;
  /** Of the action Reboot. */
  readonly reboot?: SlotReboot;
  readonly asked: Asked;
  /** Somebody deletes the Machine, or it is gone: its set is waited for. */
  readonly isLeaving?: true;
  /** When its set was whole again, while its Machine goes still. In milliseconds since the epoch. Absent: it was not seen to be. */
  readonly wholeAt?: number;
  /** How many replacements were replaced in turn. Absent: none. */
  readonly replacements?: number;
  /** How many Machines its set, or its deployment, was to have, less those places that were over because it wants fewer. Absent: nobody knows. */
  readonly wanted?: number;
  /** The slot that this one took over, as its Machine is a failed replacement. Absent: none, or its Machine goes. */
  readonly inPlaceOf?: { readonly uid: string; readonly slot: Slot };
}

export interface SlotReboot {
  /** Of the wish on the Machine. */
  readonly id: string;
  /** Since when it has booted anew, and nothing of it is bad. Absent: it is not so. */
  readonly goodSince?: number;
  /** How much of its time it could not be made, as far as is known. In milliseconds. @default none */
  readonly lostMs?: number;
}

export interface SetAside {
  /** When it is tried again; afterwards it comes behind the others. */
  readonly until: number;
  /** Of the check's spec then: another one is tried at once. */
  readonly generation: number;
  /** What was refused last. */
  readonly message: string;
}

/** How often a step was asked for, and what came of it. */
export interface Asked {
  readonly times: number;
  /** When it was asked for last. */
  readonly at: number;
  /** Absent: no answer came, or that of an earlier time. */
  readonly outcome?: 'done' | 'refused';
  /** Why it was refused. */
  readonly message?: string;
}

export interface ReplacedLately {
  readonly uid: string;
  /** When that began. */
  readonly at: number;
  /** Since when it was bad, by what it has in common with others: as {@link Storm.cause}. */
  readonly since: Readonly<Record<string, number>>;
}

export interface MadeWhole {
  /** The uid of the set, or of its deployment. */
  readonly maker: string;
  /** When the remediation began: what came of it was made since. */
  readonly since: number;
  /** When it was whole again: what came of it was made by then. */
  readonly at: number;
  /** How many replacements were replaced in turn before. */
  readonly replacements: number;
}

/** One cause holds so many machines that it is likelier that of something else. */
export interface Storm {
  /** A {@link SeenCause.condition}, or where it is none the key. */
  readonly cause: string;
  /** Only the machines of this zone. Absent: all. */
  readonly zone?: string;
  readonly latchedAt: number;
  /** It is nearly over: to how many machines it came down, and when it did last. Absent: it holds too many. */
  readonly fewer?: { readonly count: number; readonly at: number };
}

export function emptyHealthMemory(): HealthMemory {
  return {
    sightings: {},
    slots: {},
    storms: [],
    replaced: [],
    madeWhole: [],
    neverJoined: {},
    setAside: {},
    helped: {},
    restricted: {},
  };
}

/** What has to be looked at as well. */
export function underwayOf({ slots }: HealthMemory): SurveyHealth['underway'] {
  return Object.entries(slots).map(([uid, { set }]) => ({ uid, ...given({ set }) }));
}

/** Something is bad, or was. */
export function hasSightings({ sightings }: HealthMemory): boolean {
  return Object.keys(sightings).length > 0;
}
