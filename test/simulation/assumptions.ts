/**
 * What the proof of "at most one instance" takes for granted of the world. The adversary stays within it; a run that goes
 * beyond has to find doubles. Milliseconds.
 *
 * A launch is proved void by looks that span 300 s from when its calls count as ended, which is 60 s after the last one was
 * asked for. One may be sent up to 120 s after that (`whyTooLate`, clocks apart included) and take effect `callEffectMs` later: what is
 * left of the 300 s is what the cloud's view may lag.
 */
export interface Assumptions {
  /** A call to the cloud takes effect at most so long after it was sent, whether anybody still waits for it or not. */
  readonly callEffectMs: number;
  /** A request to the API server takes effect at most so long after it was sent. */
  readonly requestEffectMs: number;
  /** The cloud shows an instance at most so long after it was made. */
  readonly viewLagMs: number;
  /** The clocks of two hosts are at most so far apart. */
  readonly clockSkewMs: number;
}

/** What the product takes for granted. */
export const ASSUMPTIONS: Assumptions = {
  callEffectMs: 60_000,
  requestEffectMs: 10_000,
  viewLagMs: 175_000,
  clockSkewMs: 120_000,
};

/** A world in which the proof does not hold: a run in it has to find doubles. */
export const BEYOND: Assumptions = {
  callEffectMs: 1_800_000,
  requestEffectMs: ASSUMPTIONS.requestEffectMs,
  viewLagMs: 1_800_000,
  clockSkewMs: ASSUMPTIONS.clockSkewMs,
};
