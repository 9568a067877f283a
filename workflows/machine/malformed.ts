import type { Life, Next } from './life.ts';
import { reporting } from './ports.ts';

const STEP = 'ReadObject';

/**
 * The object is not what its schema allows: stored by other CRDs, or by older ones. What it says cannot be trusted, so
 * nothing at all is done with it, not even its deletion, until somebody mends it.
 */
export async function holdMalformed(
  life: Life,
  problem: { message: string; isStatusReadable: boolean },
): Promise<Next> {
  const { memory } = life;
  const message = `${problem.message}: nothing is done to this machine until the object is mended`;
  life.wait(STEP, 'MalformedObject', message);
  if (memory.malformed !== message) {
    const event = { type: 'Warning', reason: 'FailedValidate', message } as const;
    await reporting.reportEvent({ ...life.target, event });
    memory.malformed = message;
  }
  // A status that could not be read must not be written: what it holds of the instance would be lost.
  if (!problem.isStatusReadable) life.leaveUnwritten();
  return { why: message };
}
