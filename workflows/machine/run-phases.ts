import type { Next, Sleep } from '../entity.ts';
import type { Answer, Phase, Wait } from './answer.ts';
import type { Pass } from './pass.ts';
import { given } from '../../providers/given.ts';

/** When a pass wants the next one; `end`: never again. */
export type PassEnd = Exclude<Next, { end: void }> | 'end' | UntoldMoment;

/** A moment of which nothing is written: the next pass comes to the same anew. */
export interface UntoldMoment extends Sleep {
  readonly isUntold: true;
}

type Look = { readonly until?: number; readonly why: string };

/**
 * Goes through the phases in their order until one has to be waited for. The first wait is what the machine says it waits
 * for, unless one holds up what a person asked for; the earliest time that any of them named is that of the next pass.
 */
export async function runPhases(pass: Pass, phases: readonly Phase[]): Promise<PassEnd> {
  const waits: Wait[] = [];
  let wished: Wait | undefined;
  const looks: Look[] = [];
  for (const phase of phases) {
    const answer = await phase(pass);
    // It ends the pass, and not what the phases before it wait for.
    const next = answer.outcome === 'idle' ? nextOf([...looks, answer]) : ending(pass, answer);
    if (next !== undefined) {
      noteCloud(pass, waits);
      return next;
    }
    if (answer.outcome === 'done') {
      if (answer.until !== undefined) looks.push({ until: answer.until, why: answer.why ?? 'another look' });
    } else if (answer.outcome === 'wait') {
      const { until, message } = answer.wait;
      if (answer.untold === true && isToSayNothing(pass, waits)) {
        noteCloud(pass, waits);
        return { at: until, why: message, isUntold: true };
      }
      waits.push(answer.wait);
      if (answer.wished === true) wished = answer.wait;
      looks.push({ why: message, ...given({ until }) });
      if (answer.lookAt !== undefined) looks.push({ until: answer.lookAt, why: message });
      if (answer.meanwhile !== true) break;
    }
  }
  noteCloud(pass, waits);
  pass.wait(wished ?? waits[0]);
  return nextOf(looks);
}

/** Nothing else was found out that has to be written. That the deletion has begun is told as long as no status says it; what else is told, once. */
function isToSayNothing({ sighting, isRecalled, isPastFound, events }: Pass, waits: readonly Wait[]): boolean {
  const isTold = events.some(({ reason }) => reason !== 'Delete');
  return waits.length === 0 && !isTold && sighting === undefined && !isRecalled && !isPastFound;
}

/** Remembers whether the pass waits for a cloud that fails. Of a call that waits for its turn it is not known whether it would. */
function noteCloud({ memory }: Pass, waits: readonly Wait[]): void {
  const failing = waits.find(({ cloudFails }) => cloudFails === true);
  if (failing !== undefined) memory.cloudFails = failing.message;
  else if (waits.every(({ reason }) => reason !== 'AwaitingTurn')) delete memory.cloudFails;
}

/** What an answer ends the pass with; undefined: the pass may go on. */
function ending(pass: Pass, answer: Exclude<Answer, { outcome: 'idle' }>): PassEnd | undefined {
  switch (answer.outcome) {
    case 'done':
    case 'wait':
      return undefined;
    case 'failed':
      pass.fail(answer.reason, answer.message);
      // What is left to be done for a machine that has failed, the next pass does.
      return 'again';
    case 'again':
      // What it waited for is over with an instance.
      if (pass.sighting !== undefined) pass.wait(undefined);
      return 'again';
    case 'end':
      return 'end';
  }
}

function nextOf(looks: readonly Look[]): PassEnd {
  const timeOf = ({ until = Infinity }: Look) => until;
  const earliest = looks.reduce<Look>((a, b) => (timeOf(b) < timeOf(a) ? b : a), looks[0] ?? { why: 'nothing' });
  return { at: earliest.until, why: earliest.why };
}
