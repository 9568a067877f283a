import { describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { aMachine, type MachineFacts } from '../../world/builders/a-machine.ts';
import { wishAfter, type Wish } from './wishes.ts';

/** One second after the other, a generation each. */
function wishOf(...written: readonly (Pick<MachineFacts, 'spec' | 'status' | 'deleting'> & object)[]): Wish {
  let wish: Wish | undefined;
  for (const [index, { spec, status, deleting = false }] of written.entries()) {
    const machine: MachineObject = aMachine({
      deleting,
      metadata: { generation: index + 1 },
      spec: { ...spec },
      status: { ...status },
    });
    wish = wishAfter(wish, machine, index);
  }
  return wish ?? wishAfter(undefined, aMachine(), 0);
}

const DELETE = { spec: { delete: true } };
const BACK = { spec: { delete: false } };

describe('what is wanted of a Machine', () => {
  it.each([
    ['nothing', [{}], {}],
    ['that it goes, since it says so', [{}, DELETE, DELETE], { toGoSince: 1, toEmptySince: 1 }],
    ['likewise of one that is deleted', [{}, { deleting: true }], { toGoSince: 1, toEmptySince: 1 }],
    ['only that its Node is empty', [{}, { spec: { maintenance: true } }], { toEmptySince: 1 }],
    ['nothing any more', [{}, DELETE, BACK], { takenBack: 3 }],
    ['that it goes again', [{}, DELETE, BACK, DELETE], { toGoSince: 3, toEmptySince: 3 }],
    [
      'that its Node stays empty',
      [{}, { spec: { delete: true, maintenance: true } }, { spec: { maintenance: true } }],
      { toEmptySince: 1 },
    ],
  ])('is %s', (_what, written, expected) => {
    expect(wishOf(...written)).toEqual({ wasNeverWanted: false, isAcknowledged: false, ...expected });
  });

  it('was never that it is there, where it was created to go', () => {
    expect(wishOf(DELETE, DELETE)).toMatchObject({ wasNeverWanted: true });
    expect(wishOf(DELETE, BACK, DELETE)).toMatchObject({ wasNeverWanted: false });
  });
});

describe('what is taken back is acknowledged', () => {
  const status = { observedGeneration: 3, delete: false };

  it.each([
    ['by a status that knows of it', { ...BACK, status }, true],
    ['not by one that does not', { ...BACK, status: { ...status, observedGeneration: 2 } }, false],
    ['not while it is under way', { ...BACK, status: { ...status, prepareDeletionPhase: 'aborting' as const } }, false],
    ['not while a maintenance ends', { ...BACK, status: { ...status, maintenance: true } }, false],
  ])('%s', (_how, last, expected) => {
    expect(wishOf({}, DELETE, BACK, last)).toMatchObject({ isAcknowledged: expected });
  });

  it('until somebody wants it again', () => {
    expect(wishOf({}, DELETE, BACK, { ...BACK, status }, DELETE)).toMatchObject({ isAcknowledged: false });
  });
});
