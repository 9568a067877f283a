import { isCommandEvent, type EventOf, type HistoryEvent } from '../temporal/history-event.ts';

/** What a workflow learns in one go: everything up to the start of a workflow task that was answered, or is to be. */
export interface HistoryPart {
  readonly events: readonly HistoryEvent[];
  readonly started: EventOf<'taskStarted'>;
  /** What the task asked for; undefined: it is the one to be answered now. */
  readonly answer: PartAnswer | undefined;
}

export interface PartAnswer {
  readonly flags: readonly number[];
  /** Events that its commands made. */
  readonly commandEvents: readonly HistoryEvent[];
  /** Results of local activities that are told up to the start of the next part. */
  readonly markers: readonly EventOf<'markerRecorded'>[];
}

/**
 * Cuts a history where the SDK's core does: at each workflow task that was started and not lost. One that was only answered to
 * get more time, because local activities were under way, and met with nothing new, is one with the next.
 *
 * @param after id of the start of the last task that was learned of: what is told is told after it. 0: all is
 */
export function partsOf(history: readonly HistoryEvent[], after = 0): readonly HistoryPart[] {
  const parts: HistoryPart[] = [];
  let begin = after;
  for (let index = after; index < history.length; index += 1) {
    const event = history[index];
    if (event?.type !== 'taskStarted') continue;
    const next = history[index + 1];
    if (next?.type === 'taskTimedOut' || next?.type === 'taskFailed' || next?.type === 'terminated') continue;
    const events = history.slice(begin, index + 1);
    if (next === undefined) {
      parts.push({ events, started: event, answer: undefined });
      break;
    }
    if (next.type !== 'taskCompleted') throw new Error(`event ${next.id}: ${next.type} after a started task`);
    const isEmpty = history[index + 2]?.type === 'taskScheduled' && !events.some(isCommandEvent);
    if (isEmpty) continue;
    begin = index + 1;
    parts.push({ events, started: event, answer: answerAt(history, index + 1, next) });
  }
  return parts;
}

function answerAt(history: readonly HistoryEvent[], index: number, { flags }: EventOf<'taskCompleted'>): PartAnswer {
  const commandEvents: HistoryEvent[] = [];
  for (let at = index + 1; at < history.length; at += 1) {
    const event = history[at];
    if (event === undefined || !isCommandEvent(event)) break;
    commandEvents.push(event);
  }
  return { flags, commandEvents, markers: commandEvents.filter((event) => event.type === 'markerRecorded') };
}
