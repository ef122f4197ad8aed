import numpy as np,pickle
from course.texts.small_text import small_text
TEXT=small_text(train=6400,held_out=200,words=1000,say=False); HELD=TEXT.held_out
STOP=TEXT.train[256:320]; ASKED=[*STOP,*HELD]
sentence=np.repeat(np.arange(len(ASKED)),[2*len(w)+2 for w in ASKED]); to_stop=sentence<len(STOP)
P=pickle.load(open('/tmp/sc/parts.pkl','rb')); 
try: P|=pickle.load(open('/tmp/sc/states.pkl','rb'))
except Exception as e: print(e)
try: P|=pickle.load(open('/tmp/sc/parts2.pkl','rb'))
except Exception as e: print(e)
def mixed(*parts,rounds=300):
    p=np.exp(-np.stack(parts)); w=np.full(len(parts),1/len(parts))
    for _ in range(rounds):
        s=w[:,None]*p[:,to_stop]; tot=s.sum(0); w=(s/np.maximum(tot,1e-300)).mean(1)
    return -np.log(w@p),w
e=lambda n: float(np.exp(n[~to_stop].mean()))
for k,v in P.items(): print('%-24s %.2f'%(k,e(np.minimum(v,50))))
each=np.bincount(sentence[~to_stop]-len(STOP)); drawn=np.random.default_rng(0).multinomial(len(each),np.full(len(each),1/len(each)),2000)
def times(a,b):
    n=np.bincount(sentence[~to_stop]-len(STOP),(a-b)[~to_stop]); lo,hi=np.percentile(np.exp(drawn@n/(drawn@each)),[2.5,97.5]); return '%.3f (%.3f to %.3f)'%(np.exp(n.sum()/each.sum()),lo,hi)
sets={'lesson: two+triples':['two','triples'],'+pairs all':['two','triples','pairs, all words'],'+all-words triples':['two','triples','pairs, all words','triples, all words'],
 '+four':['two','triples','pairs, all words','triples, all words','four, all words','four, known'],'+cache':['two','triples','pairs, all words','triples, all words','four, all words','four, known','cache']}
for k in [k for k in P if k.startswith('padded')]:
    sets.setdefault('padded all',['two','cache']).append(k)
for n,s in sets.items():
    c,w=mixed(*[P[k] for k in s]); line='%-22s %.2f'%(n,e(c))
    if 'states' in P:
        b,wb=mixed(*[P[k] for k in s],P['states']); line+=' with states %.2f: %s'%(e(b),times(c,b))
        u,_=mixed(*[P[k] for k in s],P['untrained']); line+=' with untrained %.2f: %s'%(e(u),times(c,u))
        line+=' counts/states '+times(c,P['states'])
    print(line,np.round(w,2))
if 'states' in P:
    print('words / untrained layer 0',times(P['words'],P['untrained layer 0']),'untrained layer0/ untrained',times(P['untrained layer 0'],P['untrained']))
    print('layer0/states',times(P['layer 0'],P['states']))
    # by whether the word before is unknown
    UNK=TEXT.vocabulary.id('<unk>')
