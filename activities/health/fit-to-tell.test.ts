import { describe, expect, it } from '@jest/globals';
import { CHECK_UID, failed, notReady, suspect, wished } from '../../workflows/machine-health-check/check-for-tests.ts';
import { fitToTell } from './fit-to-tell.ts';

const many = (count: number, words = 'Ready of its Node is Unknown (NodeStatusUnknown)') =>
  Array.from({ length: count }, (_, at) =>
    suspect(`m-${String(at).padStart(5, '0')}`, { causes: [notReady({ words, changedAt: Date.now() })] }),
  );
const names = (told: readonly { readonly name: string }[]) => told.map(({ name }) => name);

describe('what a look tells of many machines', () => {
  it('is each of them while they are not too many', () => {
    const suspects = many(900);
    expect(fitToTell(suspects, new Set(), CHECK_UID)).toEqual({ suspects });
  });

  it('is the same ones at each look where they are, and how many others there are', () => {
    const suspects = many(6000);
    const { suspects: told, untold } = fitToTell(suspects, new Set(), CHECK_UID);
    expect(told.length + (untold ?? 0)).toBe(6000);
    expect(told).toHaveLength(1000);
    expect(fitToTell([...suspects].reverse(), new Set(), CHECK_UID).suspects).toEqual(told);
    expect(JSON.stringify(told).length).toBeLessThan(610_000);
  });

  it('is those first that are under way, proved dead and wished', () => {
    const dead = suspect('z-dead', { isProved: true, causes: [failed()] });
    const wanted = suspect('z-wanted', { causes: [wished()] });
    const claimed = suspect('z-claimed', { claim: { name: 'c', uid: CHECK_UID } });
    const underWay = suspect('z-under-way', { isDeleting: true, causes: [] });
    const all = [...many(3000), dead, wanted, claimed, underWay];
    const { suspects } = fitToTell(all, new Set([underWay.uid]), CHECK_UID);
    expect(names(suspects.slice(0, 4))).toEqual(['z-claimed', 'z-under-way', 'z-dead', 'z-wanted']);
  });

  it('is less than 600 kB, however much is said of each', () => {
    const told = fitToTell(many(3000, 'ü'.repeat(300)), new Set(), CHECK_UID);
    const bytes = Buffer.byteLength(JSON.stringify(told));
    expect(bytes).toBeLessThan(610_000);
    expect(bytes).toBeGreaterThan(500_000);
  });
});
