import { asSummary } from '../summary.ts';
import { summarizeStatus } from './describe-life.ts';
import type { Life } from './life.ts';
import { local } from './ports.ts';

/** Makes visible what a pass has come to. */
export async function writeStatus(life: Life): Promise<void> {
  const event = life.event === undefined ? {} : { event: life.event };
  const summary = asSummary(`write the status: ${summarizeStatus(life.status)}`);
  await local.writeMachineStatus.executeWithOptions({ summary }, [{ ...life.target, status: life.status, ...event }]);
  life.written();
}
