import { beforeEach, describe, expect, it } from '@jest/globals';
import { DRAIN_FIELD_MANAGER } from '../../../k8s/model/field-managers.ts';
import { NODES } from '../../../k8s/resources.ts';
import { aMachine, type MachineFacts } from '../../world/builders/a-machine.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { judgeCordons, notAsWished } from './cordons.ts';
import { given } from '../../../providers/given.ts';

const CORDONED = { spec: { unschedulable: true } };
const ANNOTATED = { metadata: { annotations: { 'millwright.dev/drained-for': 'Machine default/m: deletion' } } };

let api: ApiServer;
let accused: string[];
let byHand: Set<string>;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  accused = [];
  byHand = new Set();
  judgeCordons({ api, isCordonedByHand: (uid) => byHand.has(uid), accuse: (message) => void accused.push(message) });
  api.put(aNode());
});

const write = (body: object) => api.others.mergePatch(NODES, undefined, 'n', body);
const drain = (body: { metadata?: object; spec?: object }) => {
  const own = { ...body, metadata: { name: 'n', ...body.metadata } };
  return api.others.apply(NODES, undefined, 'n', own, { fieldManager: DRAIN_FIELD_MANAGER });
};

describe('a cordon by hand', () => {
  it('is taken off by hand only', async () => {
    await write(CORDONED);
    byHand.add('uid-of-n');
    await write({ metadata: { labels: { x: '1' } } });
    expect(accused).toEqual([]);
    await write({ spec: { unschedulable: null } });
    expect(accused).toEqual(['n is uncordoned, and somebody had cordoned it by hand']);
  });

  it('is not what others cordoned', async () => {
    await write(CORDONED);
    await write({ spec: { unschedulable: null } });
    expect(accused).toEqual([]);
  });
});

describe('at the end', () => {
  const left = ({ spec, ...status }: Pick<MachineFacts, 'spec'> & MachineFacts['status'] & object) => {
    const nodeRef = { kind: 'Node', name: 'n' } as const;
    api.put({ ...aMachine({ name: 'm', ...given({ spec }), status: { phase: 'Running', nodeRef, ...status } }) });
    return notAsWished({ api }).map(([judge, message]) => `${judge}: ${message}`);
  };
  const stays = (what: string) => `an abort takes back: Machine m is to stay, and ${what} is left`;

  it('nothing of a drain is left on the Node of a Machine that stays', async () => {
    await drain({ ...CORDONED, ...ANNOTATED });
    expect(left({})).toEqual([stays('the cordon of n'), stays('the annotation of n')]);
    await drain({});
    expect(left({})).toEqual([]);
  });

  it('another’s cordon may be', async () => {
    await write(CORDONED);
    expect(left({})).toEqual([]);
  });

  it('its status says nothing of it either', () => {
    expect(left({ delete: true, prepareDeletionPhase: 'aborting', maintenance: true })).toEqual([
      stays('status.delete'),
      stays('prepareDeletionPhase aborting'),
      stays('status.maintenance'),
    ]);
    expect(left({ delete: false, maintenance: false })).toEqual([]);
  });

  it('a Machine in maintenance has an empty Node that is cordoned', async () => {
    const spec = { maintenance: true };
    expect(left({ spec })).toEqual([
      expect.stringContaining('maintenance: Machine m is in maintenance, and that is not'),
    ]);
    expect(left({ spec, maintenance: true })).toEqual([expect.stringContaining('n is not cordoned')]);
    await drain(CORDONED);
    expect(left({ spec, maintenance: true })).toEqual([]);
  });

  it('what goes is another judge’s', async () => {
    await drain(CORDONED);
    expect(left({ spec: { delete: true }, delete: true })).toEqual([]);
  });
});
