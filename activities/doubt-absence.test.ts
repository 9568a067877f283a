import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../providers/provider.ts';
import { createCloudActivities, targetOf, type MachineFacts } from '../test/unit/cloud-activities.ts';

/** Ten Machines of the same credentials, with an instance each. */
function ten(more: (n: number) => MachineFacts = () => ({ launched: {} })) {
  const kit = createCloudActivities();
  for (let n = 0; n < 10; n += 1) {
    kit.addMachine(`m-${n}`, { instanceId: `i-${n}`, ...more(n) });
    kit.cloud.add(`i-${n}`);
  }
  return kit;
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const look = (kit: ReturnType<typeof ten>, n: number) =>
  kit.run((own) => own.lookAtInstance({ ...targetOf(`m-${n}`), id: `i-${n}` }));

describe('an absent instance', () => {
  it('is a fact where half of all are absent, and is doubted where one more is', async () => {
    const kit = ten();
    for (const n of numbers(0, 4)) kit.cloud.instances.delete(`i-${n}`);
    expect(await look(kit, 0)).toEqual({ outcome: 'absent' });
    kit.cloud.instances.delete('i-5');
    const answer = await look(kit, 0);
    expect(answer).toMatchObject({ outcome: 'untrusted', message: expect.stringContaining('6 of 10 instances') });
  });

  it('is no reason for doubt with the listing by tag, in which adopted instances are absent for ever', async () => {
    const kit = ten();
    kit.cloud.instances.delete('i-0');
    kit.cloud.disturb = ({ operation }) => {
      if (operation === 'list') throw new Error('a listing by tag tells nothing of ids on record');
    };
    expect(await look(kit, 0)).toEqual({ outcome: 'absent' });
  });

  it('counts no Machine that is being deleted or that failed: their instances may be gone', async () => {
    const kit = ten((n) => ({ launched: {}, deleting: n < 4, ...(n >= 4 && n < 7 ? { phase: 'Failed' } : {}) }));
    for (const n of numbers(0, 6)) kit.cloud.instances.delete(`i-${n}`);
    expect(await look(kit, 0)).toEqual({ outcome: 'absent' });
    for (const n of numbers(7, 8)) kit.cloud.instances.delete(`i-${n}`);
    expect(await look(kit, 7)).toMatchObject({ message: expect.stringContaining('2 of 3 instances') });
  });

  it('counts the Machines of the same credentials only', async () => {
    const kit = ten((n) => ({ launched: { credentials: { namespace: 'ns', region: n < 4 ? 'near' : 'far' } } }));
    for (const n of numbers(0, 1)) kit.cloud.instances.delete(`i-${n}`);
    expect(await look(kit, 0)).toEqual({ outcome: 'absent' });
    kit.cloud.instances.delete('i-2');
    expect(await look(kit, 0)).toMatchObject({ message: expect.stringContaining('3 of 4 instances') });
  });

  it('is a failed look where nobody can tell what else is absent', async () => {
    const kit = ten();
    kit.cloud.instances.delete('i-0');
    kit.cloud.disturb = ({ operation, ids }) => {
      if (operation === 'describe' && ids.length > 1) throw new ProviderError('Internal', 'no answer');
    };
    expect(await look(kit, 0)).toMatchObject({ outcome: 'failed', failure: { code: 'Internal' } });
  });
});
