//! Which messages have been sent and confirmed, as seen in the stream.
//!
//! A publisher's messages leave in the order in which they were handed over, and the broker numbers them from 1 on a
//! confirming channel: so the oldest token belongs to the next complete content, and the message's number is its tag.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;

use crate::frame::Frame;
use crate::stream::Watch;
use wiredyno_transport::SentSink;

/// Class basic and two of its methods; nack is a RabbitMQ extension (numbers are in the protocol's XML).
const BASIC: u16 = 60;
const ACK: u16 = 80;
const NACK: u16 = 120;

/// Reports sent and confirmed messages to the sink.
pub struct Ledger {
    sink: Arc<dyn SentSink>,
    /// Tokens in the order of their messages.
    tokens: Receiver<u64>,
    /// Bytes of the current body that are still to be sent.
    body_left: u64,
    confirms: bool,
    /// The tag of the last sent message.
    last_tag: u64,
    /// Tags and tokens of unanswered messages, in order of their tags.
    unconfirmed: VecDeque<(u64, u64)>,
    refused: Arc<AtomicU64>,
}

impl Ledger {
    /// `tokens` gives the tokens of the messages to be sent; `refused` counts those that the broker rejects.
    pub fn new(
        sink: Arc<dyn SentSink>,
        tokens: Receiver<u64>,
        confirms: bool,
        refused: Arc<AtomicU64>,
    ) -> Ledger {
        let unconfirmed = VecDeque::new();
        Ledger { sink, tokens, body_left: 0, confirms, last_tag: 0, unconfirmed, refused }
    }

    fn message_sent(&mut self, at_ns: i64) {
        let Ok(token) = self.tokens.try_recv() else { return };
        self.sink.sent(token, at_ns);
        if self.confirms {
            self.last_tag += 1;
            self.unconfirmed.push_back((self.last_tag, token));
        }
    }

    /// The broker has answered for a message, or for all up to it; tag 0 means all (AMQP 0-9-1, basic.ack in the protocol's
    /// XML).
    fn answered(&mut self, tag: u64, multiple: bool, taken: bool, at_ns: i64) {
        let tell = |token| match taken {
            true => self.sink.acked(token, at_ns),
            false => {
                self.refused.fetch_add(1, Ordering::Relaxed);
            }
        };
        if multiple {
            let upto = self.unconfirmed.partition_point(|(first, _)| tag == 0 || *first <= tag);
            self.unconfirmed.drain(..upto).for_each(|(_, token)| tell(token));
        } else if let Ok(place) = self.unconfirmed.binary_search_by_key(&tag, |(tag, _)| *tag)
            && let Some((_, token)) = self.unconfirmed.remove(place)
        {
            tell(token);
        }
    }
}

impl Watch for Ledger {
    fn written(&mut self, frame: Frame, at_ns: i64) {
        match frame {
            Frame::ContentHeader(body_bytes) => self.body_left = body_bytes,
            Frame::ContentBody(bytes) => self.body_left = self.body_left.saturating_sub(bytes.into()),
            _ => return,
        }
        if self.body_left == 0 {
            self.message_sent(at_ns);
        }
    }

    fn read(&mut self, frame: Frame, at_ns: i64) {
        if let Frame::Method([BASIC, method @ (ACK | NACK)], [tag @ .., bits]) = frame {
            self.answered(u64::from_be_bytes(tag), bits & 1 == 1, method == ACK, at_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    #[derive(Default)]
    struct Notes(Mutex<Vec<(char, u64, i64)>>);

    impl SentSink for Notes {
        fn sent(&self, token: u64, at_ns: i64) {
            self.0.lock().unwrap().push(('s', token, at_ns));
        }
        fn acked(&self, token: u64, at_ns: i64) {
            self.0.lock().unwrap().push(('a', token, at_ns));
        }
        fn broken(&self, _reason: &str) {}
    }

    fn answer(method: u16, tag: u64, multiple: bool) -> Frame {
        let mut arguments = [0; 9];
        arguments[..8].copy_from_slice(&tag.to_be_bytes());
        arguments[8] = multiple.into();
        Frame::Method([BASIC, method], arguments)
    }

    fn ledger(confirms: bool, messages: u64) -> (Ledger, Arc<Notes>, Arc<AtomicU64>) {
        let (notes, refused) = (Arc::new(Notes::default()), Arc::new(AtomicU64::new(0)));
        let (tokens, queue) = channel();
        (0..messages).for_each(|message| tokens.send(message * 10).unwrap());
        (Ledger::new(notes.clone(), queue, confirms, refused.clone()), notes, refused)
    }

    fn noted(notes: &Notes) -> Vec<(char, u64, i64)> {
        std::mem::take(&mut *notes.0.lock().unwrap())
    }

    #[test]
    fn a_message_is_sent_with_the_last_frame_of_its_content() {
        let (mut ledger, notes, _) = ledger(false, 3);
        for (frame, at_ns) in [
            (Frame::Method([BASIC, 40], [0; 9]), 1),
            (Frame::ContentHeader(0), 2),
            (Frame::Method([BASIC, 40], [0; 9]), 3),
            (Frame::ContentHeader(10), 4),
            (Frame::ContentBody(7), 5),
            (Frame::ContentBody(3), 6),
            (Frame::Other, 7),
            (Frame::ContentHeader(1), 8),
            (Frame::ContentBody(1), 9),
        ] {
            ledger.written(frame, at_ns);
        }
        assert_eq!(noted(&notes), [('s', 0, 2), ('s', 10, 6), ('s', 20, 9)]);
    }

    #[test]
    fn confirms_of_one_of_many_and_of_all_find_their_messages() {
        let (mut ledger, notes, refused) = ledger(true, 8);
        (0..8).for_each(|_| ledger.written(Frame::ContentHeader(0), 1));
        assert_eq!(noted(&notes).len(), 8);
        ledger.read(answer(ACK, 2, false), 2);
        ledger.read(answer(ACK, 4, true), 3);
        ledger.read(answer(NACK, 6, false), 4);
        // A repeated answer, and one for a tag that was never assigned.
        ledger.read(answer(ACK, 4, false), 5);
        ledger.read(answer(ACK, 99, false), 5);
        ledger.read(answer(ACK, 0, true), 6);
        let acked =
            [('a', 10, 2), ('a', 0, 3), ('a', 20, 3), ('a', 30, 3), ('a', 40, 6), ('a', 60, 6), ('a', 70, 6)];
        assert_eq!(noted(&notes), acked);
        assert_eq!(refused.load(Ordering::Relaxed), 1);
    }
}
