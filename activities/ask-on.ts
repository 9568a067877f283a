import { BoundedMap } from '../providers/bounded-map.ts';
import { delay, type Clock } from '../providers/clock.ts';
import { CLOUD_NOT_ANSWERING, ProviderError } from '../providers/provider-error.ts';

/** Longest time for which a cloud keeps a workflow task waiting, in milliseconds. */
export const PATIENCE_MS = 2000;

/** `specs` are mostly answered from what was read before: that they are in time does not tell that the cloud answers `calls`. */
export type Asked = 'calls' | 'specs';

export interface AskOnOptions {
  /** Longest wait for an answer, in milliseconds. @default 2000 */
  readonly patienceMs?: number;
  /** The same where the cloud did not answer in time of late, in milliseconds. @default 100 */
  readonly slowPatienceMs?: number;
  /** How long an answer is kept for the one who asked for it, in milliseconds: longer than anybody waits to ask again. @default 120000 */
  readonly keptMs?: number;
  /** Questions that are remembered: more than Machines that one worker asks for at once. @default 20000 */
  readonly most?: number;
  /** What is asked. @default 'calls' */
  readonly asks?: Asked;
}

export interface Answer<T> {
  readonly answer: T;
  /** How long ago it was asked for, in milliseconds, where that was an earlier time; absent: just now. */
  readonly agoMs?: number;
}

/**
 * Asks, and waits for the answer no longer than patience lasts. A call that takes longer goes on, and its answer is kept. Whoever
 * asks the same question again gets that answer; `agoMs` tells how long ago the call was made.
 *
 * @param place where it is asked, e.g. provider and credentials: what one asker found slow makes the others wait less
 * @param question equal for what is the same question of the same asker
 * @throws ProviderError Unavailable, {@link CLOUD_NOT_ANSWERING}, where the answer is not there yet; and what `call` throws
 */
export type AskOn<T> = (place: string, question: string, call: () => Promise<T>) => Promise<Answer<T>>;

interface Question<T> {
  readonly answer: Promise<T>;
  readonly askedAt: number;
  /** When it was answered; undefined: not yet. */
  answeredAt?: number;
}

/** Places whose cloud did not answer in time of late, and what it was asked. One for all who ask within a workflow task. */
export type SlowPlaces = BoundedMap<string, Asked>;

const MOST_PLACES = 1000;
/** When to ask again, in milliseconds. */
const ASK_AGAIN_MS = 1000;

export function createSlowPlaces(): SlowPlaces {
  return new BoundedMap(MOST_PLACES);
}

export function createAskOn<T>(clock: Clock, slowPlaces: SlowPlaces, options: AskOnOptions = {}): AskOn<T> {
  const { patienceMs = PATIENCE_MS, slowPatienceMs = 100, keptMs = 120_000, most = 20_000, asks = 'calls' } = options;
  const questions = new BoundedMap<string, Question<T>>(most);

  return async (place, question, call) => {
    const known = freshQuestion(`${place} ${question}`);
    const asked = known ?? ask(place, `${place} ${question}`, call);
    const isInTime = await endsWithin(
      clock,
      asked.answer,
      slowPlaces.get(place) !== undefined ? slowPatienceMs : patienceMs,
    );
    if (!isInTime) {
      slowPlaces.set(place, slowPlaces.get(place) ?? asks);
      throw notAnsweredYet();
    }
    questions.delete(`${place} ${question}`);
    const answer = await asked.answer;
    return known === undefined ? { answer } : { answer, agoMs: Math.ceil(clock.now() - asked.askedAt) };
  };

  function freshQuestion(key: string): Question<T> | undefined {
    const known = questions.get(key);
    return known === undefined || clock.now() - (known.answeredAt ?? clock.now()) > keptMs ? undefined : known;
  }

  function ask(place: string, key: string, call: () => Promise<T>): Question<T> {
    const askedAt = clock.now();
    const question: Question<T> = { answer: call(), askedAt };
    questions.set(key, question);
    const note = () => {
      question.answeredAt = clock.now();
      const isInTime = question.answeredAt - askedAt <= patienceMs;
      if (isInTime && (asks === 'calls' || slowPlaces.get(place) === asks)) slowPlaces.delete(place);
    };
    question.answer.then(note, note);
    return question;
  }
}

/** What a caller is told whose call goes on. */
function notAnsweredYet(): ProviderError {
  const message = 'the cloud has not answered yet: it is asked on, and its answer is looked for again in a moment';
  return new ProviderError('Unavailable', message, {
    cloudCode: CLOUD_NOT_ANSWERING,
    retryAfterMs: ASK_AGAIN_MS,
  });
}

/** Waits for the end of a call, for so many milliseconds at most; false: it goes on. Never rejects. */
export async function endsWithin(clock: Clock, call: Promise<unknown>, ms: number): Promise<boolean> {
  const decided = new AbortController();
  const late = delay(clock, ms, decided.signal).then(() => false);
  const over = call.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([over, late]);
  } finally {
    decided.abort();
  }
}
