package wiredyno.runner.codecs;

import java.nio.ByteBuffer;
import org.bson.BsonBinaryReader;
import org.bson.BsonBinaryWriter;
import org.bson.Document;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.DocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;
import wiredyno.runner.Codec;

/** MongoDB's Document with its codec, as the driver writes and reads documents; what is made of the domain's objects is generated. */
public abstract class BsonDocuments extends Codec {
    private final DocumentCodec codec = new DocumentCodec();

    @Override
    public final byte[] encode(Object built) {
        try (BasicOutputBuffer out = new BasicOutputBuffer(); BsonBinaryWriter writer = new BsonBinaryWriter(out)) {
            codec.encode(writer, (Document) built, EncoderContext.builder().build());
            return out.toByteArray();
        }
    }

    @Override
    public final Object decode(byte[] body) {
        try (BsonBinaryReader reader = new BsonBinaryReader(ByteBuffer.wrap(body))) {
            return codec.decode(reader, DecoderContext.builder().build());
        }
    }
}
