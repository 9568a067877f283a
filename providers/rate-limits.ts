/**
 * How many calls a cloud lets through, and how a worker keeps within it: pure decisions, times in milliseconds on a clock that
 * never goes back.
 */
import { given } from './given.ts';

/** A token bucket. A call takes a token; where there is none it is refused. */
export interface TokenBucket {
  /** Tokens in the full bucket: so many calls at once. */
  readonly burst: number;
  /** Tokens that come back each second. */
  readonly perSecond: number;
}

/** What one account may do with one action in one region. */
export interface RateLimit extends TokenBucket {
  /** A second bucket, of instances: each call of ours is about one. @default none */
  readonly instances?: TokenBucket;
}

/** The limit of the actions that a pattern names. */
export interface RateRule {
  /** Name of an action, or the beginning of several and `*`: `RunInstances`, `Describe*`, `*`. */
  readonly actions: string;
  /** `none`: these actions have no limit. */
  readonly limit: RateLimit | 'none';
}

/** The limit of an action: the first rule that fits counts. Undefined: it has none. */
export function limitOf(rules: readonly RateRule[], action: string): RateLimit | undefined {
  const rule = rules.find(({ actions }) =>
    actions.endsWith('*') ? action.startsWith(actions.slice(0, -1)) : action === actions,
  );
  return rule === undefined || rule.limit === 'none' ? undefined : rule.limit;
}

/** What a worker believes is left for one action. */
export interface Room {
  /** When the numbers below were so. */
  readonly at: number;
  readonly requests: number;
  readonly instances: number;
  /** Part of the limit that this worker takes for its own, from {@link LEAST_SHARE} to 1. */
  readonly share: number;
  /** When the share fell last. */
  readonly fellAt?: number;
  /** No token comes back before this. */
  readonly standsUntil?: number;
}

/**
 * The cloud's full bucket begins to fill when the cloud sees the first call, which may be on its way for longer than a later
 * one. So ours begins when the first call is answered, or after this long, in milliseconds.
 */
const MOST_STANDING_MS = 2_000;
/** What is left of the share after a throttled answer. */
const FALL = 0.7;
/**
 * What the share rises by in a second. From a half to the whole takes a minute: of two workers that share an account one in twenty
 * calls is throttled then; were it half as long, one in twelve.
 */
const RISE_PER_SECOND = 1 / 120;
/** However often the cloud throttles, this part of the limit is still tried. */
export const LEAST_SHARE = 0.05;

/** Nothing was called yet. */
export function fullRoom(limit: RateLimit, now: number): Room {
  return { at: now, requests: mostRequests(limit, 1), instances: limit.instances?.burst ?? 0, share: 1 };
}

/** The room as it is now: tokens come back, and the share rises while nothing is throttled. */
export function roomAt(limit: RateLimit, room: Room, now: number): Room {
  const { standsUntil = room.at } = room;
  const seconds = Math.max(0, now - room.at) / 1000;
  const share = Math.min(1, room.share + RISE_PER_SECOND * seconds);
  const grown = grownBy(room.share, Math.max(0, now - Math.max(room.at, standsUntil)) / 1000);
  const refilled = (left: number, most: number, perSecond: number): number => Math.min(most, left + perSecond * grown);
  const { instances } = limit;
  return {
    ...room,
    at: Math.max(room.at, now),
    share,
    requests: refilled(room.requests, mostRequests(limit, share), limit.perSecond),
    instances: instances === undefined ? 0 : refilled(room.instances, instances.burst * share, instances.perSecond),
  };
}

/**
 * Milliseconds until so many calls fit, if nothing is throttled meanwhile; 0: they do now. Of the room as {@link roomAt}
 * answers it.
 */
export function msUntilRoom({ perSecond, instances }: RateLimit, { share, ...room }: Room, calls: number): number {
  const requestsMs = msUntil(calls - room.requests, perSecond, share);
  const instancesMs = instances === undefined ? 0 : msUntil(calls - room.instances, instances.perSecond, share);
  const ms = Math.max(requestsMs, instancesMs);
  return ms === 0 ? 0 : ms + Math.max(0, (room.standsUntil ?? room.at) - room.at);
}

/** The room after a call was sent. Of the room as {@link roomAt} answers it. */
export function afterCall(limit: RateLimit, room: Room): Room {
  const isFirst = room.requests >= mostRequests(limit, room.share);
  return {
    ...room,
    requests: room.requests - 1,
    instances: room.instances - 1,
    ...given({ standsUntil: isFirst ? room.at + MOST_STANDING_MS : undefined }),
  };
}

/** The room after a call was answered, whatever the answer: the cloud has seen it. Of the room as {@link roomAt} answers it. */
export function afterAnswer(room: Room): Room {
  return { ...room, standsUntil: room.at };
}

/**
 * The room after a throttled answer: the cloud's bucket is empty, because others call too, or its limit is another than was
 * thought. Calls that were on their way when the share fell tell nothing new.
 *
 * @param sentAt when the throttled call was sent
 */
export function afterThrottling(room: Room, sentAt: number, now: number): Room {
  const emptied = { ...room, requests: 0, instances: 0 };
  if (room.fellAt !== undefined && sentAt <= room.fellAt) return emptied;
  return { ...emptied, share: Math.max(LEAST_SHARE, room.share * FALL), fellAt: now };
}

function mostRequests({ burst }: RateLimit, share: number): number {
  return Math.max(1, burst * share);
}

/** Tokens are fractions: what is missing by a rounding error is not missing. */
const NEGLIGIBLE = 1e-6;

function msUntil(missing: number, perSecond: number, share: number): number {
  return missing <= NEGLIGIBLE ? 0 : Math.ceil(secondsToGrow(missing / perSecond, share) * 1000);
}

/** Seconds at the whole limit that these are worth, while the share rises. */
function grownBy(share: number, seconds: number): number {
  const rising = Math.min(seconds, (1 - share) / RISE_PER_SECOND);
  return share * rising + (RISE_PER_SECOND * rising ** 2) / 2 + (seconds - rising);
}

/** The other way round: after how many seconds {@link grownBy} comes to this. */
function secondsToGrow(worth: number, share: number): number {
  const rising = (1 - share) / RISE_PER_SECOND;
  const worthOfRising = grownBy(share, rising);
  if (worth >= worthOfRising) return rising + worth - worthOfRising;
  return (Math.sqrt(share ** 2 + 2 * RISE_PER_SECOND * worth) - share) / RISE_PER_SECOND;
}
