package wiredyno.runner.codecs;

import org.apache.thrift.TBase;
import org.apache.thrift.TDeserializer;
import org.apache.thrift.TException;
import org.apache.thrift.TSerializer;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TProtocolFactory;
import wiredyno.runner.Codec;

/** Thrift's generated classes through TSerializer and TDeserializer, which are kept: a struct without a message's header. */
public abstract class ThriftStructs extends Codec {
    private final TSerializer serializer;
    private final TDeserializer deserializer;

    protected ThriftStructs(String protocol) throws TException {
        TProtocolFactory factory = protocol.equals("compact") ? new TCompactProtocol.Factory() : new TBinaryProtocol.Factory();
        serializer = new TSerializer(factory);
        deserializer = new TDeserializer(factory);
    }

    /** A new object of the message. */
    protected abstract TBase<?, ?> empty();

    @Override
    public final byte[] encode(Object built) throws TException {
        return serializer.serialize((TBase<?, ?>) built);
    }

    @Override
    public final Object decode(byte[] body) throws TException {
        TBase<?, ?> made = empty();
        deserializer.deserialize(made, body);
        return made;
    }
}
