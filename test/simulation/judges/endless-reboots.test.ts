import { beforeEach, describe, expect, it } from '@jest/globals';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { REBOOT_ANNOTATION, writeRebootWish } from '../../../k8s/model/reboot.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aMachineHealthCheck } from '../../world/builders/a-machine-health-check.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { endlessReboots } from './endless-reboots.ts';

const MINUTE = 60_000;
const SENT = Date.parse('2026-01-01T12:00:00Z');
const CHECK = aMachineHealthCheck('check', { nodeStartupTimeout: '4m' });

let api: ApiServer;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  api.put({ ...CHECK });
});

function putMachine({ wanted = 'w', deleting = false }): void {
  const annotations = {
    [REMEDIATED_BY_ANNOTATION]: `check ${CHECK.metadata.uid}`,
    [REBOOT_ANNOTATION]: writeRebootWish({ id: wanted, causes: [] }),
  };
  const reboot = { id: 'w', state: 'Sent' as const, sentAt: new Date(SENT).toISOString(), times: [] };
  api.put({ ...aMachine({ name: 'a', deleting, metadata: { annotations }, providerStatus: { reboot } }) });
}
const after = (minutes: number, calmAfter = 0) =>
  endlessReboots(api, { calmSince: SENT + calmAfter * MINUTE, now: SENT + minutes * MINUTE });

describe('a reboot without end', () => {
  it('is one that is wanted still when its time is long over', () => {
    putMachine({});
    expect(after(23)).toEqual([]);
    expect(after(25)).toEqual([expect.stringContaining('Machine a was rebooted at 2026-01-01T12:00:00.000Z')]);
  });

  it('has its time from when all is calm', () => {
    putMachine({});
    expect(after(34, 10)).toEqual([]);
    expect(after(35, 10)).toHaveLength(1);
  });

  it.each([
    ['another one is wanted by now', { wanted: 'another' }],
    ['its machine is replaced', { deleting: true }],
  ])('is none where %s', (_words, facts) => {
    putMachine(facts);
    expect(after(60)).toEqual([]);
  });
});
